package index

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

//go:embed migrations
var migrations embed.FS

// Index is the index of all repositories.
type Index struct {
	db    *sql.DB
	pool  *pgxpool.Pool // nil for SQLite
	limit time.Duration // of a query

	mu     sync.Mutex
	locked map[int64]bool // repositories, in SQLite
}

// Options say where the index is.
type Options struct {
	Postgres string        // address of PostgreSQL
	File     string        // without one: the file of SQLite
	Limit    time.Duration // the longest query of a reader; 0 for none
	Conns    int32         // connections to PostgreSQL; 0 for 10
}

// Open opens the index and makes or updates its tables. Several replicas may do so at once.
func Open(ctx context.Context, o Options) (*Index, error) {
	x := &Index{limit: o.Limit, locked: map[int64]bool{}}
	var err error
	if o.Postgres != "" {
		err = x.openPostgres(ctx, o)
	} else {
		err = x.openSQLite(o)
	}
	if err == nil {
		err = x.migrate(ctx)
	}
	if err != nil {
		x.Close()
		return nil, fmt.Errorf("open the index: %w", err)
	}
	return x, nil
}

func (x *Index) openPostgres(ctx context.Context, o Options) error {
	conf, err := pgxpool.ParseConfig(o.Postgres)
	if err != nil {
		return errors.New("the database's address cannot be read") // the cause may show its password
	}
	if conf.MaxConns = 10; o.Conns > 0 {
		conf.MaxConns = o.Conns
	}
	conf.ConnConfig.ConnectTimeout = 10 * time.Second
	if conf.ConnConfig.RuntimeParams["application_name"] == "" {
		conf.ConnConfig.RuntimeParams["application_name"] = "entire-hub"
	}
	if x.pool, err = pgxpool.NewWithConfig(ctx, conf); err != nil {
		return err
	}
	x.db = stdlib.OpenDBFromPool(x.pool)
	if err := x.db.PingContext(ctx); err != nil {
		return inOneLine{err}
	}
	return nil
}

// inOneLine is an error of a database's driver, which has a line for each address and way to connect.
type inOneLine struct{ error }

func (e inOneLine) Error() string {
	var said []string
	for line := range strings.Lines(e.error.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return strings.Join(said, " ")
}

func (e inOneLine) Unwrap() error { return e.error }

func (x *Index) openSQLite(o Options) (err error) {
	x.db, err = sql.Open("sqlite", "file:"+o.File+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(10000)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&_txlock=immediate")
	return err
}

// Postgres reports whether the index is in PostgreSQL.
func (x *Index) Postgres() bool { return x.pool != nil }

// migrate brings the tables to this version.
func (x *Index) migrate(ctx context.Context) error {
	p, err := x.provider()
	if err == nil {
		_, err = p.Up(ctx)
	}
	if err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	return nil
}

// Drop removes the tables with all that they hold, and makes them again, empty.
func (x *Index) Drop(ctx context.Context) error {
	p, err := x.provider()
	if err == nil {
		_, err = p.DownTo(ctx, 0)
	}
	if err != nil {
		return fmt.Errorf("drop the index: %w", err)
	}
	return x.migrate(ctx)
}

func (x *Index) provider() (*goose.Provider, error) {
	dialect, folder := goose.DialectSQLite3, "migrations/sqlite"
	var opts []goose.ProviderOption
	if x.Postgres() {
		dialect, folder = goose.DialectPostgres, "migrations/postgres"
		l, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, err
		}
		opts = append(opts, goose.WithSessionLocker(l))
	}
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, x.db, files, opts...)
}

// Analyze lets PostgreSQL count what is in the tables, which it does by itself a minute after much has changed.
func (x *Index) Analyze(ctx context.Context) error {
	q := "ANALYZE"
	if x.Postgres() {
		q = "VACUUM ANALYZE"
	}
	_, err := x.db.ExecContext(ctx, q)
	return err
}

// Ping reports whether the database answers.
func (x *Index) Ping(ctx context.Context) error { return x.db.PingContext(ctx) }

// Close ends all connections.
func (x *Index) Close() {
	if x.db != nil {
		x.db.Close()
	}
	if x.pool != nil {
		x.pool.Close()
	}
}
