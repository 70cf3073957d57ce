package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"entire/internal/search/lists"
)

// Drop removes the index at path with SQLite's other files, and reports whether there was one.
// Processes that have it open keep using the removed files.
func Drop(path string) (was bool, err error) {
	for _, ext := range []string{"-wal", "-shm", ""} {
		rerr := os.Remove(path + ext)
		was = was || rerr == nil
		if rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return was, err
}

// Scrub rewrites the file without removed text. Until then the text remains in free pages, in parts of the
// text index and in the write-ahead log.
func (x *Index) Scrub(ctx context.Context) error {
	release, err := x.lock()
	if err != nil {
		return err
	}
	defer release()
	if err := x.exhume(ctx); err != nil {
		return fmt.Errorf("scrub search index: %w", err)
	}
	for _, text := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := x.db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("scrub search index: %w", err)
		}
	}
	return nil
}

// exhume writes the parts again, in their order, if some have documents that were removed.
func (x *Index) exhume(ctx context.Context) (err error) {
	tx, err := x.db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done(tx.Rollback())) }()
	graves, err := lists.ReadGraves(tx)
	if err != nil {
		return err
	}
	parts, err := lists.ReadParts(tx)
	if err != nil || len(graves) == 0 {
		return err
	}
	for _, p := range slices.Backward(parts) {
		number, err := lists.NextPart(tx)
		if err == nil {
			err = lists.Merge(ctx, tx, []lists.Part{p}, number)
		}
		if err != nil {
			return err
		}
	}
	if _, err := tx.Exec("DELETE FROM dead"); err != nil {
		return err
	}
	x.known = nil
	return tx.Commit()
}

// done is nil for the error of ending a transaction that has ended.
func done(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}
