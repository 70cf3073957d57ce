package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"entire/session/internal/index"
	"entire/session/internal/pack"
)

// Compress compresses the logs of sessions that were not used for some time. Sessions with
// compressed logs are read, appended to and forked as before. A file that forks share stays
// shared; Compress leaves a file that a session in use or in the trash also shares. It leaves a
// session that is used meanwhile. Compress can be killed at any point, and several calls may
// run at once.
func (s *Store) Compress(ctx context.Context, o CompressOptions) (Compressed, error) {
	all, err := s.ListContext(ctx)
	if err != nil {
		return Compressed{Failed: map[string]error{}}, fmt.Errorf("compress conversations: %w", err)
	}
	return pack.Compress(ctx, s.queue.Base, all, o, nil)
}

// CheckCompressed reads all compressed content of the store's sessions. For each log whose
// content differs from what was appended, it yields the session and an error. It skips a
// session that is deleted meanwhile. It calls seen, which may be nil, with the number of
// sessions read and the number of all.
func (s *Store) CheckCompressed(ctx context.Context, seen func(done, all int)) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		all, err := index.StampSessions(s.queue.Base) // ListContext leaves out sessions that cannot be read
		if err != nil {
			yield("", err)
			return
		}
		for i, l := range all {
			if seen != nil {
				seen(i, len(all))
			}
			for _, file := range pack.LogsOf(s.queue.Base, l.Name, true) {
				err := pack.CheckPacked(ctx, filepath.Join(s.Dir(l.Name), file))
				if _, _, gone := s.queue.Existing(l.Name); err != nil && !errors.Is(gone, ErrNotFound) && !yield(l.Name, err) {
					return
				}
			}
		}
	}
}
