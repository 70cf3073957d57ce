package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"

	"entire/internal/seekable"
)

// CheckCompressed reads all that is compressed of the store's sessions and yields, by
// session, what of it is not what was once appended. A session that is gone
// meanwhile is none. seen is told of how many of how many it has read, and may be nil.
func (s *Store) CheckCompressed(ctx context.Context, seen func(done, all int)) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		all, err := s.stampSessions() // one that cannot be read is in no list
		if err != nil {
			yield("", err)
			return
		}
		for i, l := range all {
			if seen != nil {
				seen(i, len(all))
			}
			for _, file := range s.logsOf(l.name, true) {
				err := checkPacked(ctx, filepath.Join(s.Dir(l.name), file))
				if _, _, gone := s.existing(l.name); err != nil && !errors.Is(gone, ErrNotFound) && !yield(l.name, err) {
					return
				}
			}
		}
	}
}

// checkPacked makes sure that what is compressed of a log has the sum that its other
// file says.
func checkPacked(ctx context.Context, path string) error {
	switch head, _, err := headOf(path); {
	case errors.Is(err, fs.ErrNotExist), err == nil && head == nil:
		return nil
	case err != nil:
		return fmt.Errorf("read %s: %w", path, err)
	}
	l, err := OpenLog(path)
	if err != nil {
		return err
	}
	defer l.Close()
	sum := sha256.New()
	for at := int64(0); at < l.head.Bytes; at += smallFile {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := io.Copy(sum, io.NewSectionReader(l, at, min(smallFile, l.head.Bytes-at))); err != nil {
			return fmt.Errorf("read %s%s: %w", path, packedExt, err)
		}
	}
	if hex.EncodeToString(sum.Sum(nil)) != l.head.SHA256 {
		return fmt.Errorf("read %s%s: %w: it is another than was compressed", path, packedExt, seekable.ErrDamaged)
	}
	return nil
}
