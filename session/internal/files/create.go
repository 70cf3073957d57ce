package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"entire/internal/durable"
	"entire/session/internal/layout"
)

// create adds files to a checkpoint, which it makes if it does not exist.
func (w *fileOperation) create(ctx context.Context, id string, names []string) error {
	if strings.HasPrefix(id, safetyPrefix) {
		return fmt.Errorf("names that begin with %q are those of rewinds", safetyPrefix)
	}
	c, old, err := w.Manifest(id)
	if err != nil && !errors.Is(err, ErrNoCheckpoint) {
		return err
	}
	known := map[string]bool{}
	if c != nil {
		for _, f := range c.Files {
			known[f.Path] = known[f.Path] || !isFolder(f)
		}
	}
	paths, err := w.pathsToAdd(names, known)
	if err != nil {
		return err
	}
	if c != nil && len(paths) == 0 {
		return nil
	}
	if len(known)+len(paths) > maxCheckpointFiles {
		return fmt.Errorf("more than %d files", maxCheckpointFiles)
	}
	snaps, err := w.keepAll(ctx, paths)
	if err != nil {
		w.removeStored()
		return err
	}
	return w.record(ctx, id, c, old, snaps)
}

// pathsToAdd returns the paths to add: the new ones, and whatever stands in the place of a folder
// that one of them needs, because a rewind has to remove that before it can write the file. It
// looks at all paths before anything is kept.
func (w *fileOperation) pathsToAdd(names []string, known map[string]bool) ([]string, error) {
	var paths []string
	add := func(path string) {
		if !known[path] {
			known[path] = true
			paths = append(paths, path)
		}
	}
	for _, name := range names {
		path, err := manifestPath(w.root, name)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", clipped(name), err)
		}
		at, err := w.lookAt(path, nil)
		switch {
		case err != nil:
		case errors.Is(at.blocker, durable.ErrThroughLink):
			err = at.blocker
		case at.blocker != nil:
			add(nextBelow(path, at.reached))
		case at.info == nil:
		case at.info.IsDir():
			err = errFolder
		case !at.info.Mode().IsRegular() && at.info.Mode()&fs.ModeSymlink == 0:
			err = errSpecial
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", clipped(path), err)
		}
		add(path)
	}
	return paths, nil
}

// nextBelow returns the path one step below the folder at, on the way to path.
func nextBelow(path, at string) string {
	from := 0
	if at != "" {
		from = len(at) + 1
	}
	if i := strings.IndexByte(path[from:], '/'); i >= 0 {
		return path[:from+i]
	}
	return path
}

// keepAll stores the files at paths. For a file that does not exist it also records which folder
// above it is missing.
func (w *fileOperation) keepAll(ctx context.Context, paths []string) ([]FileSnapshot, error) {
	var snaps []FileSnapshot
	missing := map[string]bool{}
	for _, path := range paths {
		snap, at, err := w.snapshot(ctx, path, true)
		switch {
		case err != nil:
		case isFolder(snap):
			err = errFolder
		case errors.Is(at.blocker, durable.ErrThroughLink):
			err = at.blocker
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", clipped(path), err)
		}
		if up := nextBelow(path, at.reached); !snap.Exists && at.blocker == nil && up != path && !missing[up] {
			missing[up] = true
			snaps = append(snaps, FileSnapshot{Path: up, Mode: modeFolder})
		}
		snaps = append(snaps, snap)
	}
	return snaps, nil
}

// removeStored removes the contents that this call stored, after an error: no checkpoint lists them.
func (w *fileOperation) removeStored() {
	for _, sum := range w.stored {
		_ = os.Remove(w.path(layout.BlobsName, sum))
	}
	w.stored = nil
}

func (w *fileOperation) hasBlob(sum string) bool {
	_, err := os.Lstat(w.path(layout.BlobsName, sum))
	return err == nil
}

// record writes the snapshots into a checkpoint: a new one if c is nil.
func (w *fileOperation) record(ctx context.Context, id string, c *CheckpointManifest, old []byte, snaps []FileSnapshot) error {
	now, err := w.nextTime(ctx)
	if err != nil {
		return err
	}
	if c == nil {
		return w.writeManifest(&CheckpointManifest{id, id, now, nil}, nil, snaps)
	}
	for i := range snaps {
		snaps[i].RecordedAt = now
	}
	return w.writeManifest(c, old, snaps)
}

// nextTime returns the time of what is recorded now. It is later than every time recorded before,
// so that times give the order even if a clock was put back.
func (w *fileOperation) nextTime(ctx context.Context) (time.Time, error) {
	now, err := w.clock()
	if err != nil {
		return now, err
	}
	latest, err := w.latest(ctx)
	if err != nil {
		return now, err
	}
	now = now.UTC().Round(0)
	if !now.After(latest) {
		now = latest.Add(1)
	}
	return now, durable.WriteCache(w.path(filesLatestName), []byte(now.Format(time.RFC3339Nano)+"\n"), 0o600)
}

func (m *CheckpointManager) clock() (time.Time, error) {
	if m.now != nil {
		return m.now(), nil
	}
	return durable.Clock(m.sessionDir)
}

// latest returns the last recorded time: from its own file, or, if that cannot be read, from
// all checkpoints.
func (w *fileOperation) latest(ctx context.Context) (time.Time, error) {
	data, err := layout.ReadRegular(w.path(filesLatestName))
	if err == nil {
		if t, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(data))); err == nil && checkTime(t) == nil {
			return t.UTC(), nil
		}
	}
	all, err := w.Checkpoints(ctx)
	if len(all) == 0 && err != nil {
		return time.Time{}, err
	}
	var latest time.Time
	for _, c := range all {
		for _, f := range c.Files {
			if f.RecordedAt.After(latest) {
				latest = f.RecordedAt
			}
		}
		if c.CreatedAt.After(latest) {
			latest = c.CreatedAt
		}
	}
	return latest.UTC(), nil
}
