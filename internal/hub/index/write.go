package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"entire/internal/hub/rows"
)

// ErrMoved says that another replica has changed the repository's rows meanwhile.
var ErrMoved = errors.New("another replica has indexed the repository meanwhile")

// A Change is what a repository's index becomes in one transaction.
type Change struct {
	Remove []string   // checkpoints whose rows go
	Add    rows.Batch // and what comes, also in the place of what goes

	Done *Done // with the last change of a reading
}

// Done is what a reading of a repository ends with.
type Done struct {
	State, Tip, Rules string
	At                int64
	Forgotten         []rows.Forgotten
}

// Apply makes a change to a repository that has the given generation, and returns the next one.
func (x *Index) Apply(ctx context.Context, repo, generation int64, c Change) (int64, error) {
	err := x.write(ctx, func(tx *sql.Tx, conn *pgx.Conn) error {
		res, err := tx.ExecContext(ctx, x.bind("UPDATE repository SET generation = generation + 1 WHERE id = ? AND generation = ?"), repo, generation)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return errors.Join(err, ErrMoved)
		}
		if err := x.remove(ctx, tx, repo, c.Remove); err != nil {
			return err
		}
		if err := x.add(ctx, tx, conn, repo, c.Add); err != nil {
			return err
		}
		if c.Done == nil {
			return nil
		}
		return x.finish(ctx, tx, conn, repo, c.Done)
	})
	if err != nil {
		return generation, fmt.Errorf("write the index: %w", err)
	}
	return generation + 1, nil
}

// write runs a transaction. In PostgreSQL the connection is the transaction's, for COPY. What is written may be lost in a
// crash of the database, and with it the generation: it is read from git again.
func (x *Index) write(ctx context.Context, do func(*sql.Tx, *pgx.Conn) error) error {
	conn, err := x.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var raw *pgx.Conn
	if x.Postgres() {
		if err := conn.Raw(func(c any) error { raw = c.(*stdlib.Conn).Conn(); return nil }); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "SET LOCAL synchronous_commit = off; SET LOCAL jit = off"); err != nil {
			return err
		}
	}
	if err := do(tx, raw); err != nil {
		return err
	}
	return tx.Commit()
}

// remove takes checkpoints away, with all that belongs to them.
func (x *Index) remove(ctx context.Context, tx *sql.Tx, repo int64, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if err := x.count(ctx, tx, repo, ids, "-"); err != nil {
		return err
	}
	for _, table := range []string{"statement", "file", "session", "checkpoint"} {
		column := "checkpoint"
		if table == column {
			column = "id"
		}
		if _, err := tx.ExecContext(ctx, x.bind("DELETE FROM "+table+" WHERE repo = ? AND "+x.among(column)), repo, list(x, ids)); err != nil {
			return err
		}
	}
	return nil
}

// add brings the rows of a batch.
func (x *Index) add(ctx context.Context, tx *sql.Tx, conn *pgx.Conn, repo int64, b rows.Batch) error {
	for _, t := range tables(&b, repo) {
		if err := x.insert(ctx, tx, conn, t); err != nil {
			return fmt.Errorf("write %s: %w", t.name, err)
		}
	}
	ids := make([]string, len(b.Checkpoints))
	for i := range b.Checkpoints {
		ids[i] = b.Checkpoints[i].ID
	}
	if len(ids) == 0 {
		return nil
	}
	return x.count(ctx, tx, repo, ids, "")
}

// insert copies the rows of one table.
func (x *Index) insert(ctx context.Context, tx *sql.Tx, conn *pgx.Conn, t table) error {
	if t.rows == 0 {
		return nil
	}
	if conn != nil {
		_, err := conn.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromSlice(t.rows, func(i int) ([]any, error) { return t.row(i), nil }))
		return err
	}
	q := fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)", t.name, strings.Join(t.columns, ", "), strings.Repeat(", ?", len(t.columns)-1))
	stmt, err := tx.PrepareContext(ctx, q)
	if err != nil {
		return err
	}
	defer stmt.Close()
	for i := range t.rows {
		if _, err := stmt.ExecContext(ctx, t.row(i)...); err != nil {
			return err
		}
	}
	return nil
}

// finish notes what a reading has come to.
func (x *Index) finish(ctx context.Context, tx *sql.Tx, conn *pgx.Conn, repo int64, d *Done) error {
	if _, err := tx.ExecContext(ctx, x.bind("DELETE FROM forgotten WHERE repo = ?"), repo); err != nil {
		return err
	}
	if err := x.insert(ctx, tx, conn, forgottenTable(d.Forgotten, repo)); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, x.bind("UPDATE repository SET state = ?, tip = ?, rules = ?, indexed_at = ?, checked_at = ?, problem = '' WHERE id = ?"), d.State, d.Tip, d.Rules, d.At, d.At, repo)
	return err
}
