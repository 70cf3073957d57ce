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
	looksName   = "looks.json" // the expired folders, with the time each was first found expired
	trashLock   = "lock"       // guards looksName and the removal of folders
	goneName    = ".gone-"     // begins the name of a folder that is being removed
	emptyingFor = 10 * time.Second
)

// Gone says what was permanently removed from the trash.
type Gone struct {
	Sessions int
	Bytes    int64
}

// ExpireTrash permanently removes what has been in the trash for longer than grace, by the
// rules of [retention.Expire]: never when it is first found expired. A second call waits for
// the first. It also finishes removals that a killed call began; those sessions cannot be
// restored.
func (s *Store) ExpireTrash(ctx context.Context, grace time.Duration) (Gone, error) {
	return expireTrash(ctx, s.queue.Base, grace)
}

// expireTrash removes what has been in the trash for longer than grace.
func expireTrash(ctx context.Context, b *Base, grace time.Duration) (Gone, error) {
	return b.emptyTrash(ctx, func(items []retention.Item) ([]retention.Item, error) {
		path := filepath.Join(b.trash(), looksName)
		seen := map[string]time.Time{}
		data, err := readRegular(path)
		if err == nil && json.Unmarshal(data, &seen) != nil {
			seen = nil // a damaged file counts as no earlier look
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		gone, next := retention.Expire(b.now(), grace, items, seen)
		if len(next) == 0 && len(seen) == 0 {
			return gone, nil
		}
		return gone, writeJSON(path, next)
	})
}

// EmptyTrash permanently removes everything in the trash at once.
func (s *Store) EmptyTrash(ctx context.Context) (Gone, error) {
	return s.queue.emptyTrash(ctx, func(items []retention.Item) ([]retention.Item, error) { return items, nil })
}

func (b *Base) emptyTrash(ctx context.Context, which func([]retention.Item) ([]retention.Item, error)) (Gone, error) {
	gone, err := b.tryEmpty(ctx, which)
	if err != nil {
		return gone, fmt.Errorf("empty the trash: %w", err)
	}
	return gone, nil
}

func (b *Base) tryEmpty(ctx context.Context, which func([]retention.Item) ([]retention.Item, error)) (done Gone, err error) {
	trash := b.trash()
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

// remove renames a folder, so that it disappears at once, and then deletes it. was is false if
// the session was restored a moment before.
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

// sizesOf returns how many bytes a folder takes on the disk, and how many it would take
// uncompressed. A file with n names counts for 1/n.
func sizesOf(folder string) (bytes, plain int64) {
	list, _ := filesBelow(folder)
	for _, f := range list {
		bytes += f.Bytes / max(1, f.links)
		plain += f.plain / max(1, f.links)
	}
	return bytes, plain
}
