package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/internal/durable"
	"entire/internal/retention"
)

// Names in the trash. They reach the disk.
const (
	looksName   = "looks.json" // what was found past its grace, and when first
	trashLock   = "lock"       // guards looksName, and what goes for good
	goneName    = ".gone-"     // before the name of a folder that is being removed
	emptyingFor = 10 * time.Second
)

// Gone is what was removed from a trash for good.
type Gone struct {
	Sessions int
	Bytes    int64
}

// ExpireTrash removes for good what has been in the trash for longer than grace, as
// [retention.Expire] says: never at the first look. Two calls at once wait for each
// other. What a killed one left half removed is removed too, and is never brought back.
func (s *Store) ExpireTrash(ctx context.Context, grace time.Duration) (Gone, error) {
	return s.emptyTrash(ctx, func(items []retention.Item) ([]retention.Item, error) {
		path := filepath.Join(s.trash(), looksName)
		seen := map[string]time.Time{}
		data, err := readRegular(path)
		if err == nil && json.Unmarshal(data, &seen) != nil {
			seen = nil // as if nobody had looked
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		gone, next := retention.Expire(s.now(), grace, items, seen)
		if len(next) == 0 && len(seen) == 0 {
			return gone, nil
		}
		return gone, writeJSON(path, next)
	})
}

// EmptyTrash removes everything in the trash for good, at once.
func (s *Store) EmptyTrash(ctx context.Context) (Gone, error) {
	return s.emptyTrash(ctx, func(items []retention.Item) ([]retention.Item, error) { return items, nil })
}

func (s *Store) emptyTrash(ctx context.Context, which func([]retention.Item) ([]retention.Item, error)) (Gone, error) {
	gone, err := s.tryEmpty(ctx, which)
	if err != nil {
		return gone, fmt.Errorf("empty the trash: %w", err)
	}
	return gone, nil
}

func (s *Store) tryEmpty(ctx context.Context, which func([]retention.Item) ([]retention.Item, error)) (done Gone, err error) {
	trash := s.trash()
	if _, err := os.Lstat(trash); errors.Is(err, fs.ErrNotExist) {
		return Gone{}, nil
	}
	l, err := durable.AcquireWithin(filepath.Join(trash, trashLock), emptyingFor)
	if err != nil {
		return Gone{}, err
	}
	defer l.Release()
	entries, err := os.ReadDir(trash)
	if err != nil {
		return Gone{}, err
	}
	var items []retention.Item
	for _, e := range entries {
		if half, _ := filepath.Match(goneName+"*", e.Name()); half && e.IsDir() {
			if err := os.RemoveAll(filepath.Join(trash, e.Name())); err != nil {
				return Gone{}, err
			}
		}
		if _, at, ok := parseTrashed(e.Name()); ok && e.IsDir() {
			items = append(items, retention.Item{Name: e.Name(), Deleted: at})
		}
	}
	going, err := which(items)
	for _, it := range going {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			break
		}
		folder := filepath.Join(trash, it.Name)
		bytes, _ := sizesOf(folder)
		var was bool
		if was, err = remove(trash, folder); was && err == nil {
			done.Sessions++
			done.Bytes += bytes
		}
	}
	return done, err
}

// remove makes a folder disappear at once, and then what was in it; was is false for
// one that was brought back a moment ago.
func remove(trash, folder string) (was bool, _ error) {
	away := filepath.Join(trash, goneName+filepath.Base(folder))
	if err := os.Rename(folder, away); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	return true, os.RemoveAll(away)
}

// sizesOf is how much of the disk a folder takes, and would take if nothing in it
// were compressed; files with several names count in parts.
func sizesOf(folder string) (bytes, plain int64) {
	list, _ := filesBelow(folder)
	for _, f := range list {
		bytes += f.Bytes / max(1, f.links)
		plain += f.plain / max(1, f.links)
	}
	return bytes, plain
}
