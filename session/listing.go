package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"entire/id"
)

// ListContext is [Store.List] with a context.
func (s *Store) ListContext(ctx context.Context) ([]SessionMetadata, error) {
	err := s.settle(ctx)
	var list []SessionMetadata
	if err == nil {
		list, err = s.list(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return list, nil
}

func (s *Store) list(ctx context.Context) ([]SessionMetadata, error) {
	entries, err := os.ReadDir(s.base)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []SessionMetadata
	for _, e := range entries {
		sid, err := id.ParseSessionID(e.Name())
		if err != nil || !e.IsDir() {
			continue
		}
		dir := filepath.Join(s.base, e.Name())
		if ok, err := isSession(dir); err != nil || !ok {
			continue
		}
		meta, _, err := readMetadata(dir, sid)
		if err == nil {
			err = catchUp(ctx, dir, &meta, nil)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			list = append(list, meta)
		}
	}
	newestFirst(list)
	return list, nil
}

func newestFirst(list []SessionMetadata) {
	slices.SortFunc(list, func(a, b SessionMetadata) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}
