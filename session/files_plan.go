package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"entire/internal/attribution"
	"entire/internal/durable"
)

// maxCounted bounds what is counted by lines; a larger file counts as a binary
// one does, with none.
const maxCounted = 32 << 20

// step is one path that a rewind changes. It reaches disk, in the journal.
type step struct {
	Old  FileSnapshot `json:"old"`
	New  FileSnapshot `json:"new"`
	Temp string       `json:"temp,omitempty"` // where New is prepared

	from string      // the checkpoint that has New
	seen bool        // info is what was kept in this call
	info fs.FileInfo // of Old; nil: nothing
	skip bool        // there is nothing to do
}

func (s step) path() string { return s.New.Path }

// changesFile: folders alone are not reported.
func (s step) changesFile() bool { return isFile(s.Old) || isFile(s.New) }

// plan compares the present with the goals, and refuses what cannot be done
// without touching what no checkpoint lists. Steps are in the order of paths, so
// that a folder comes before what it holds.
func (w *fileWork) plan(ctx context.Context, goals map[string]goal) ([]step, error) {
	p := planner{w, goals, map[string]step{}}
	paths := slices.Sorted(maps.Keys(goals))
	var steps []step
	for _, path := range paths {
		s, err := p.compare(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", clipped(path), err)
		}
		if s != nil {
			p.steps[path] = *s
			steps = append(steps, *s)
		}
	}
	for _, s := range steps {
		if isFolder(s.Old) && isFile(s.New) {
			if err := p.mayGo(s.path()); err != nil {
				return nil, fmt.Errorf("%q: %w", clipped(s.path()), err)
			}
		}
	}
	return steps, nil
}

type planner struct {
	*fileWork
	goals map[string]goal
	steps map[string]step
}

// compare returns nil where nothing is to be done.
func (p planner) compare(ctx context.Context, path string) (*step, error) {
	g := p.goals[path]
	now, at, err := p.snapshot(ctx, path, false)
	if err == nil && at.on != nil {
		err = p.behind(g, next(path, at.at), at.on)
	}
	if err != nil {
		if errors.Is(err, errSpecial) && !g.tracked {
			return nil, nil // where a folder was: found again by whatever needs that
		}
		return nil, err
	}
	if isFile(now) && !g.tracked {
		if now.Mode == modeLink && isFolder(g.snap) {
			return nil, durable.ErrThroughLink
		}
		return nil, nil
	}
	if now.Exists == g.snap.Exists && isFolder(now) == isFolder(g.snap) && (!isFile(now) || same(now, g.snap)) {
		return nil, nil
	}
	if isFile(g.snap) && g.snap.Mode == "" {
		g.snap.Mode = modeFile
		if isFile(now) && now.Mode != modeLink {
			g.snap.Mode = now.Mode
		}
	}
	return &step{Old: now, New: g.snap, from: g.from}, nil
}

// behind decides about a path on whose way no folder, but something else stands.
// If a checkpoint lists that it goes, or the path is not wanted; otherwise nobody
// said what it is.
func (p planner) behind(g goal, what string, on error) error {
	if p.goals[what].tracked {
		return nil
	}
	if errors.Is(on, durable.ErrThroughLink) || g.isFile() {
		return on
	}
	return nil
}

// same compares files; a mode that is not known is the one that is there.
func same(now, want FileSnapshot) bool {
	mode := now.Mode == want.Mode || want.Mode == "" && now.Mode != modeLink
	return now.Exists == want.Exists && now.Hash == want.Hash && mode
}

// mayGo makes sure that a folder in the place of a file holds nothing but what
// goes as well.
func (p planner) mayGo(folder string) error {
	var names []string
	_, err := p.look(folder, func(dir *os.Root, base string, _ fs.FileInfo) error {
		f, err := dir.Open(base)
		if err != nil {
			return err
		}
		defer f.Close()
		names, err = f.Readdirnames(-1)
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		path := folder + "/" + name
		s, goes := p.steps[path]
		if !goes || s.New.Exists {
			return fmt.Errorf("a folder is in the way, with %q, which is in no checkpoint", clipped(path))
		}
		if isFolder(s.Old) {
			if err := p.mayGo(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// preview reads the content of everything that is to come, which proves that it
// is whole, and counts lines.
func (w *fileWork) preview(ctx context.Context, steps []step) (*RewindFilesResult, error) {
	r := &RewindFilesResult{CanRewind: true}
	for _, s := range steps {
		if !s.changesFile() {
			continue
		}
		r.FilesChanged = append(r.FilesChanged, s.path())
		added, removed, err := w.count(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", clipped(s.path()), err)
		}
		r.Insertions, r.Deletions = r.Insertions+added, r.Deletions+removed
	}
	return r, nil
}

func (w *fileWork) count(ctx context.Context, s step) (added, removed int, err error) {
	var older, newer []byte
	large := false
	if isFile(s.New) {
		r, err := w.openBlob(s.New.Hash, s.from)
		if err != nil {
			return 0, 0, err
		}
		defer r.Close()
		data, n, err := countable(ctx, r)
		if err != nil {
			return 0, 0, err
		}
		if s.New.Size != 0 && s.New.Size != n {
			return 0, 0, fmt.Errorf("%w: %s has %d bytes, not %d", errDamaged, s.New.Hash, n, s.New.Size)
		}
		if s.New.Mode == modeLink && (n == 0 || n > maxFilePath || bytes.IndexByte(data, 0) >= 0) {
			return 0, 0, fmt.Errorf("%w: %s is no target of a link", errDamaged, s.New.Hash)
		}
		newer, large = data, n > maxCounted
	}
	if isFile(s.Old) && s.Old.Hash != s.New.Hash {
		_, err := w.look(s.path(), func(dir *os.Root, base string, info fs.FileInfo) error {
			data, n, err := readCounted(ctx, dir, base, info)
			older, large = data, large || n > maxCounted
			return err
		})
		if err != nil {
			return 0, 0, err
		}
	} else if isFile(s.Old) {
		older = newer
	}
	if large {
		return 0, 0, nil
	}
	added, removed = attribution.Count(older, newer)
	return added, removed, nil
}

func readCounted(ctx context.Context, dir *os.Root, base string, info fs.FileInfo) ([]byte, int64, error) {
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := dir.Readlink(base)
		return []byte(target), int64(len(target)), err
	}
	if !info.Mode().IsRegular() || info.Size() > maxCounted {
		return nil, info.Size(), nil
	}
	f, err := durable.OpenRegular(dir, base, info)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return countable(ctx, f)
}

// countable reads all of r and returns its length, and what was read unless that
// is too much to count.
func countable(ctx context.Context, r io.Reader) ([]byte, int64, error) {
	r = &patient{ctx, r}
	data, err := io.ReadAll(io.LimitReader(r, maxCounted+1))
	if err != nil || len(data) <= maxCounted {
		return data, int64(len(data)), err
	}
	n, err := io.Copy(io.Discard, r)
	return nil, int64(len(data)) + n, err
}
