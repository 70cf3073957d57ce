package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// Scrub rewrites the file without removed text. Until then the text remains in free pages, in segments
// of the text index and in the write-ahead log.
func (x *Index) Scrub(ctx context.Context) error {
	release, err := x.lock()
	if err != nil {
		return err
	}
	defer release()
	for _, text := range []string{"INSERT INTO words(words) VALUES('optimize')", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := x.db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("scrub search index: %w", err)
		}
	}
	return nil
}
