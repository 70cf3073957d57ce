package index

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// A Repository is what the index notes of a repository.
type Repository struct {
	ID         int64
	Name, URL  string
	State      string // of the checkpoints that were read, "" before the first reading is complete
	Tip        string // of the metadata branch then
	Rules      string // that the rows were made by
	Generation int64
	IndexedAt  int64 // when the rows were changed last, in milliseconds since 1970
	CheckedAt  int64 // when the repository was fetched last
	Problem    string
}

// Register makes the index know the repositories, by name and URL, and removes every other one with its rows. It returns
// their numbers.
func (x *Index) Register(ctx context.Context, urls map[string]string) (map[string]int64, error) {
	numbers := map[string]int64{}
	err := x.write(ctx, func(tx *sql.Tx, _ *pgx.Conn) error {
		if x.Postgres() { // replicas that start at once, one after the other
			if _, err := tx.ExecContext(ctx, "LOCK TABLE repository IN SHARE ROW EXCLUSIVE MODE"); err != nil {
				return err
			}
		}
		names := slices.Sorted(maps.Keys(urls))
		if err := x.dropOthers(ctx, tx, names); err != nil {
			return err
		}
		for _, name := range names {
			url := urls[name]
			q := "INSERT INTO repository (id, name, url) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET url = excluded.url, state = CASE WHEN repository.url = excluded.url THEN repository.state ELSE '' END"
			if _, err := tx.ExecContext(ctx, x.bind(q), Number(name), name, url); err != nil {
				return err
			}
		}
		rows, err := tx.QueryContext(ctx, "SELECT id, name FROM repository")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			var name string
			if err := rows.Scan(&id, &name); err != nil {
				return err
			}
			numbers[name] = id
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("note the repositories: %w", err)
	}
	return numbers, nil
}

// Number returns the number of a repository, which depends on its name only: an index that was made again has the same.
func Number(name string) int64 {
	sum := sha256.Sum256([]byte(name))
	return int64(binary.BigEndian.Uint32(sum[:4]) >> 1)
}

// dropOthers removes the repositories that have none of the names.
func (x *Index) dropOthers(ctx context.Context, tx *sql.Tx, names []string) error {
	for _, t := range Tables() {
		if t == "repository" {
			continue
		}
		if _, err := tx.ExecContext(ctx, x.bind("DELETE FROM "+t+" WHERE repo IN (SELECT id FROM repository WHERE NOT ("+x.among("name")+"))"), list(x, names)); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, x.bind("DELETE FROM repository WHERE NOT ("+x.among("name")+")"), list(x, names))
	return err
}

// Tables are the names of all tables.
func Tables() []string {
	return []string{"repository", "checkpoint", "session", "file", "statement", "forgotten", "lines_month", "work_month", "work_total", "usage_day", "usage_month", "usage_total"}
}

// Repository returns what is noted of a repository.
func (x *Index) Repository(ctx context.Context, id int64) (Repository, error) {
	r := Repository{ID: id}
	err := x.db.QueryRowContext(ctx, x.bind("SELECT name, url, state, tip, rules, generation, indexed_at, checked_at, problem FROM repository WHERE id = ?"), id).
		Scan(&r.Name, &r.URL, &r.State, &r.Tip, &r.Rules, &r.Generation, &r.IndexedAt, &r.CheckedAt, &r.Problem)
	if errors.Is(err, sql.ErrNoRows) {
		return r, fmt.Errorf("the index has no repository %d", id)
	}
	return r, err
}

// Checked notes that a repository was fetched and had nothing new, or why it could not be read.
func (x *Index) Checked(ctx context.Context, id, at int64, problem string) error {
	_, err := x.db.ExecContext(ctx, x.bind("UPDATE repository SET checked_at = ?, problem = ? WHERE id = ?"), at, problem, id)
	return err
}

// A Kept is what the index has of a checkpoint's origin.
type Kept struct {
	Tree, Author, Email string
	AuthorAt            int64
}

// Kept returns the checkpoints that the index has of a repository, by ID.
func (x *Index) Kept(ctx context.Context, repo int64) (map[string]Kept, error) {
	rows, err := x.db.QueryContext(ctx, x.bind("SELECT id, tree, author, email, author_at FROM checkpoint WHERE repo = ?"), repo)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	defer rows.Close()
	kept := map[string]Kept{}
	for rows.Next() {
		var id string
		var k Kept
		if err := rows.Scan(&id, &k.Tree, &k.Author, &k.Email, &k.AuthorAt); err != nil {
			return nil, fmt.Errorf("read the index: %w", err)
		}
		kept[id] = k
	}
	return kept, rows.Err()
}
