package search

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"

	"entire/internal/durable"
	"entire/internal/search/lists"
)

// Index is one project's index file. Several processes may use it, but not several goroutines.
type Index struct {
	path string
	lean bool
	db   *sql.DB

	known *known // what searches read of the index, while it stays as it is
	kept  lists.KeptRows
}

// ErrBusy is returned by Update while another process is writing the index.
var ErrBusy = errors.New("another process is writing the index")

// The kinds of entries. They are stored in the file.
const (
	Conversation = 1 + iota // a session
	Checkpoint              // a checkpoint on the metadata branch
)

// A Card describes a session or checkpoint as a whole. Filters use it.
type Card struct {
	Title    string    `json:"title,omitempty"`
	Tags     []string  `json:"tags,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Model    string    `json:"model,omitempty"`
	Branches []string  `json:"branches,omitempty"`
	Folder   string    `json:"folder,omitempty"`
	Sessions []string  `json:"sessions,omitempty"` // of a checkpoint
	Files    []string  `json:"files,omitempty"`    // files that it touched
	Started  time.Time `json:"started,omitzero"`
	Updated  time.Time `json:"updated,omitzero"`
	Source   string    `json:"source,omitempty"` // for the caller's use
}

// Open opens the index at path. It creates the index if there is none or if the file is not usable.
func Open(ctx context.Context, path string) (*Index, error) {
	x := &Index{path: path, kept: lists.KeptRows{Most: 48 << 20}}
	if err := x.open(ctx); err != nil {
		return nil, fmt.Errorf("open search index %s: %w", path, err)
	}
	return x, nil
}

// OpenLean is Open for a program that stays open beside others: the index holds 6 MB of the file in memory
// instead of 64, and is read more often.
func OpenLean(ctx context.Context, path string) (*Index, error) {
	x := &Index{path: path, lean: true, kept: lists.KeptRows{Most: 4 << 20}}
	if err := x.open(ctx); err != nil {
		return nil, fmt.Errorf("open search index %s: %w", path, err)
	}
	return x, nil
}

// InMemory returns an empty index that no file holds, for conversations that must not be written down in
// clear.
func InMemory(ctx context.Context) (*Index, error) {
	x := &Index{kept: lists.KeptRows{Most: 4 << 20}}
	if err := x.open(ctx); err != nil {
		return nil, fmt.Errorf("open search index in memory: %w", err)
	}
	return x, nil
}

// Close closes the index, which can be opened again.
func (x *Index) Close() error { return x.db.Close() }

// Path returns the path of the file.
func (x *Index) Path() string { return x.path }

func (x *Index) open(ctx context.Context) error {
	if x.path == "" {
		db, err := sql.Open("sqlite", ":memory:?_pragma=temp_store(memory)")
		if err != nil {
			return err
		}
		return x.fill(ctx, db)
	}
	if err := os.MkdirAll(filepath.Dir(x.path), 0o700); err != nil {
		return err
	}
	ready, err := x.connect(ctx)
	if err == nil && ready {
		return nil
	}
	return x.create(ctx)
}

// connect opens the file and reports whether it is an index of this version.
func (x *Index) connect(ctx context.Context) (bool, error) {
	if _, err := os.Stat(x.path); err != nil {
		return false, err
	}
	// The file contains conversations: only its owner may read it.
	if err := os.Chmod(x.path, 0o600); err != nil {
		return false, err
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(x.path)}).EscapedPath(), RawQuery: x.pragmas()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return false, err
	}
	db.SetMaxOpenConns(1)
	var found int
	if err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&found); err == nil && found == version {
		var n int
		if err = db.QueryRowContext(ctx, "SELECT count(*) FROM fact").Scan(&n); err == nil {
			x.db = db
			return true, nil
		}
	}
	return false, errors.Join(err, db.Close())
}

// pragmas turns off waiting for the disk, because a damaged index is rebuilt. With a write-ahead log,
// readers do not wait for a writer. The page size counts only before the log exists: the driver runs _pragma
// in the order of the alphabet, and _journal_mode after all of them.
func (x *Index) pragmas() string {
	cache := 16 << 10 // KB
	if x.lean {
		cache = 2 << 10
	}
	return "_pragma=busy_timeout(3000)&_pragma=page_size(8192)&_journal_mode=wal&_pragma=synchronous(off)" +
		fmt.Sprintf("&_pragma=cache_size(-%d)&_pragma=temp_store(memory)&_pragma=wal_autocheckpoint(8192)", cache)
}

// create creates the index, unless another process has done so meanwhile.
func (x *Index) create(ctx context.Context) error {
	lock, err := durable.AcquireWithin(x.path+".making", makeWait)
	if err != nil {
		return err
	}
	defer lock.Release()
	ready, err := x.connect(ctx)
	if err == nil && ready {
		return nil
	}
	if cerr := ctx.Err(); cerr != nil {
		return cerr
	}
	if inUse(err) { // by a process that may be filling it
		return err
	}
	if _, err := Drop(x.path); err != nil {
		return err
	}
	f, err := os.OpenFile(x.path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return err
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(x.path)}).EscapedPath(), RawQuery: x.pragmas()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return err
	}
	return x.fill(ctx, db)
}

// fill makes the tables of an empty index.
func (x *Index) fill(ctx context.Context, db *sql.DB) error {
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, fmt.Sprintf("BEGIN IMMEDIATE; %s PRAGMA user_version=%d; COMMIT", schema, version)); err != nil {
		return errors.Join(err, db.Close())
	}
	x.db = db
	return nil
}

// makeWait is how long make waits for another process that is creating the index.
const makeWait = 10 * time.Second

// Recreate deletes the index and creates an empty one.
func (x *Index) Recreate(ctx context.Context) error {
	x.known = nil
	err := x.db.Close()
	if x.path == "" {
		return errors.Join(err, x.open(ctx))
	}
	if _, rerr := Drop(x.path); rerr != nil {
		return errors.Join(err, rerr)
	}
	return x.open(ctx)
}

// Damaged reports whether an error says that the file is damaged. [Index.Recreate] repairs it.
func Damaged(err error) bool {
	if errors.Is(err, lists.ErrDamaged) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case 11, 26: // SQLITE_CORRUPT, SQLITE_NOTADB
		return true
	case 1: // SQLITE_ERROR: a table is missing
		for _, said := range []string{"no such table", "no such column", "vtable constructor failed"} {
			if strings.Contains(e.Error(), said) {
				return true
			}
		}
	}
	return false
}

// inUse reports whether an error says that another process has locked the file.
func inUse(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code()&0xff == 5 || e.Code()&0xff == 6) // SQLITE_BUSY, SQLITE_LOCKED
}

// Fact returns a value that Update recorded, or "".
func (x *Index) Fact(ctx context.Context, name string) (value string, err error) {
	err = x.db.QueryRowContext(ctx, "SELECT value FROM fact WHERE name = ?", name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return value, err
}

// row is a session or checkpoint in the index.
type row struct {
	number int64
	kind   int
	name   string
	mark   string // what was read; ends at the newline if reading was not finished
	ends   int64  // bytes of its log that were read
	count  int    // number of the last message
	card   Card
}

// rows returns all rows, ordered by number.
func (x *Index) rows(ctx context.Context) ([]row, error) { return rowsWhere(ctx, x.db, "1") }

// A queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// rowsWhere returns the rows for which a condition holds, ordered by number.
func rowsWhere(ctx context.Context, db queryer, where string, args ...any) ([]row, error) {
	found, err := db.QueryContext(ctx, "SELECT number, kind, name, mark, ends, count, card FROM session WHERE "+where+" ORDER BY number", args...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var list []row
	for found.Next() {
		var r row
		var card []byte
		if err := found.Scan(&r.number, &r.kind, &r.name, &r.mark, &r.ends, &r.count, &card); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(card, &r.card); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		list = append(list, r)
	}
	return list, found.Err()
}

// Entries returns the entries of a kind that were read completely, without their text.
func (x *Index) Entries(ctx context.Context, kind int) ([]Entry, error) {
	rows, err := x.rows(ctx)
	if err != nil {
		return nil, fmt.Errorf("read search index: %w", err)
	}
	var out []Entry
	for _, r := range rows {
		log, mark, _ := strings.Cut(r.mark, "\n")
		if r.kind == kind && mark != "" {
			out = append(out, Entry{Kind: kind, Name: r.name, Log: log, Mark: mark, Card: r.card, Size: r.ends})
		}
	}
	return out, nil
}
