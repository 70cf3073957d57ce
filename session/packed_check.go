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

// CheckCompressed reads all compressed content of the store's sessions. For each log whose
// content differs from what was appended, it yields the session and an error. It skips a
// session that is deleted meanwhile. It calls seen, which may be nil, with the number of
// sessions read and the number of all.
func (s *Store) CheckCompressed(ctx context.Context, seen func(done, all int)) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		all, err := s.queue.stampSessions() // ListContext leaves out sessions that cannot be read
		if err != nil {
			yield("", err)
			return
		}
		for i, l := range all {
			if seen != nil {
				seen(i, len(all))
			}
			for _, file := range s.queue.logsOf(l.name, true) {
				err := checkPacked(ctx, filepath.Join(s.Dir(l.name), file))
				if _, _, gone := s.queue.existing(l.name); err != nil && !errors.Is(gone, ErrNotFound) && !yield(l.name, err) {
					return
				}
			}
		}
	}
}

// checkPacked returns an error unless the compressed content of a log has the hash that the
// log's head says.
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
