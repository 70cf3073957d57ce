package trash

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
	"entire/session/internal/index"
	"entire/session/internal/layout"
)

// Names in the trash. They reach the disk.
const (
	firstSeenName  = "looks.json" // the expired folders, with the time each was first found expired
	trashLock      = "lock"       // guards firstSeenName and the removal of folders
	RemovingPrefix = ".gone-"     // begins the name of a folder that is being removed
	emptyLockWait  = 10 * time.Second
)

// Gone says what was permanently removed from the trash.
type Gone struct {
	Sessions int
	Bytes    int64
}

// Expire removes what has been in the trash for longer than grace.
func Expire(ctx context.Context, b *layout.Base, grace time.Duration) (Gone, error) {
	return Empty(ctx, b, func(items []retention.Item) ([]retention.Item, error) {
		path := filepath.Join(b.Trash(), firstSeenName)
		seen := map[string]time.Time{}
		data, err := layout.ReadRegular(path)
		if err == nil && json.Unmarshal(data, &seen) != nil {
			seen = nil // a damaged file counts as no earlier look
		}
		if err != nil && !errors.Is(err, layout.ErrNotFound) {
			return nil, err
		}
		gone, next := retention.Expire(b.Now(), grace, items, seen)
		if len(next) == 0 && len(seen) == 0 {
			return gone, nil
		}
		return gone, layout.WriteJSON(path, next)
	})
}

// Empty permanently removes the sessions that the given function chooses.
func Empty(ctx context.Context, b *layout.Base, which func([]retention.Item) ([]retention.Item, error)) (Gone, error) {
	gone, err := tryEmpty(ctx, b, which)
	if err != nil {
		return gone, fmt.Errorf("empty the trash: %w", err)
	}
	return gone, nil
}

// tryEmpty removes the sessions that which chooses, and what a killed call left half removed.
func tryEmpty(ctx context.Context, b *layout.Base, which func([]retention.Item) ([]retention.Item, error)) (done Gone, err error) {
	trash := b.Trash()
	if _, err := os.Lstat(trash); errors.Is(err, fs.ErrNotExist) {
		return Gone{}, nil
	}
	l, err := durable.AcquireWithin(filepath.Join(trash, trashLock), emptyLockWait)
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
		if half, _ := filepath.Match(RemovingPrefix+"*", e.Name()); half && e.IsDir() {
			if err := os.RemoveAll(filepath.Join(trash, e.Name())); err != nil {
				return Gone{}, err
			}
		}
		if _, at, ok := layout.ParseTrashed(e.Name()); ok && e.IsDir() {
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
		bytes, _ := index.SizesOf(folder)
		var was bool
		if was, err = remove(trash, folder); was && err == nil {
			done.Sessions++
			done.Bytes += bytes
		}
	}
	return done, err
}

// remove renames a folder, so that it disappears at once, and then deletes it. was is false if
// the session was restored a moment before.
func remove(trash, folder string) (was bool, _ error) {
	away := filepath.Join(trash, RemovingPrefix+filepath.Base(folder))
	if err := os.Rename(folder, away); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	return true, os.RemoveAll(away)
}
