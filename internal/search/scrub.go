package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"entire/internal/durable"
)

// Drop removes the index at path with everything that SQLite keeps beside it, and reports
// whether there was one. Who has it open goes on with what nobody else can open.
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

// Scrub writes the file anew without what was removed: until then its words stand in
// pages that are free, in pieces of the text index, and in the log of what was written.
func (x *Index) Scrub(ctx context.Context) error {
	lock, err := durable.AcquireWithin(x.path+".lock", lockWait)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	defer lock.Release()
	for _, text := range []string{"INSERT INTO words(words) VALUES('optimize')", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := x.db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("scrub search index: %w", err)
		}
	}
	return nil
}
