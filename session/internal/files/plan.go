package files

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

// maxCounted bounds the files whose lines are counted; a larger file counts no lines, as a
// binary one does.
const maxCounted = 32 << 20

// rewindStep is one path that a rewind changes. It reaches disk, in the journal.
type rewindStep struct {
	Old  FileSnapshot `json:"old"`
	New  FileSnapshot `json:"new"`
	Temp string       `json:"temp,omitempty"` // the temporary file with New

	from string      // the checkpoint that holds New
	seen bool        // this call has kept info
	info fs.FileInfo // of Old; nil if nothing existed
	skip bool        // the path is right already
}

func (s rewindStep) path() string { return s.New.Path }

// changesFile reports whether the step changes a file. Results do not list steps that change
// folders alone.
func (s rewindStep) changesFile() bool { return isFile(s.Old) || isFile(s.New) }

// plan compares the files on disk with the goals, and refuses a rewind that would have to touch
// a file that no checkpoint lists. The steps are in the order of their paths, so that a folder
// comes before the files in it.
func (w *fileOperation) plan(ctx context.Context, goals map[string]goal) ([]rewindStep, error) {
	p := planner{w, goals, map[string]rewindStep{}}
	paths := slices.Sorted(maps.Keys(goals))
	var steps []rewindStep
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
			if err := p.checkFolderEmpties(s.path()); err != nil {
				return nil, fmt.Errorf("%q: %w", clipped(s.path()), err)
			}
		}
	}
	return steps, nil
}

type planner struct {
	*fileOperation
	goals map[string]goal
	steps map[string]rewindStep
}

// compare returns the step that a path needs, or nil if it needs none.
func (p planner) compare(ctx context.Context, path string) (*rewindStep, error) {
	g := p.goals[path]
	now, at, err := p.snapshot(ctx, path, false)
	if err == nil && at.blocker != nil {
		err = p.checkBlocker(g, nextBelow(path, at.reached), at.blocker)
	}
	if err != nil {
		if errors.Is(err, errSpecial) && !g.tracked {
			return nil, nil // it stands in the place of a folder; whatever needs that folder reports it
		}
		return nil, err
	}
	if isFile(now) && !g.tracked {
		if now.Mode == modeLink && isFolder(g.snap) {
			return nil, durable.ErrThroughLink
		}
		return nil, nil
	}
	if now.Exists == g.snap.Exists && isFolder(now) == isFolder(g.snap) && (!isFile(now) || sameFile(now, g.snap)) {
		return nil, nil
	}
	if isFile(g.snap) && g.snap.Mode == "" {
		g.snap.Mode = modeFile
		if isFile(now) && now.Mode != modeLink {
			g.snap.Mode = now.Mode
		}
	}
	return &rewindStep{Old: now, New: g.snap, from: g.from}, nil
}

// checkBlocker decides about a path with something other than a folder on its way. The rewind is
// possible if a checkpoint lists that thing, which then goes, or if the goal is that the path
// does not exist.
func (p planner) checkBlocker(g goal, what string, on error) error {
	if p.goals[what].tracked {
		return nil
	}
	if errors.Is(on, durable.ErrThroughLink) || g.isFile() {
		return on
	}
	return nil
}

// sameFile compares files. An unknown wanted mode matches any mode but that of a link.
func sameFile(now, want FileSnapshot) bool {
	mode := now.Mode == want.Mode || want.Mode == "" && now.Mode != modeLink
	return now.Exists == want.Exists && now.Hash == want.Hash && mode
}

// checkFolderEmpties returns an error unless everything in a folder that stands in the place of a file is
// removed by other steps.
func (p planner) checkFolderEmpties(folder string) error {
	var names []string
	_, err := p.lookAt(folder, func(dir *os.Root, base string, _ fs.FileInfo) error {
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
			if err := p.checkFolderEmpties(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// preview reads the content of every new file, which proves that it is intact, and counts
// lines.
func (w *fileOperation) preview(ctx context.Context, steps []rewindStep) (*RewindFilesResult, error) {
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

// count counts the lines that a step of a rewind adds and removes. It reads the whole stored file even if
// that is too large to be counted, because a damaged one must be found before any file is touched.
func (w *fileOperation) count(ctx context.Context, s rewindStep) (added, removed int, err error) {
	var older, newer []byte
	large := false
	if isFile(s.New) {
		r, err := w.OpenBlob(s.New.Hash, s.from)
		if err != nil {
			return 0, 0, err
		}
		defer r.Close()
		data, n, err := readCountable(ctx, r)
		if err != nil {
			return 0, 0, err
		}
		if s.New.Size != 0 && s.New.Size != n {
			return 0, 0, fmt.Errorf("%w: %s has %d bytes, not %d", ErrDamaged, s.New.Hash, n, s.New.Size)
		}
		if s.New.Mode == modeLink && (n == 0 || n > maxFilePath || bytes.IndexByte(data, 0) >= 0) {
			return 0, 0, fmt.Errorf("%w: %s is no target of a link", ErrDamaged, s.New.Hash)
		}
		newer, large = data, n > maxCounted
	}
	if isFile(s.Old) && s.Old.Hash != s.New.Hash {
		_, err := w.lookAt(s.path(), func(dir *os.Root, base string, info fs.FileInfo) error {
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
	if info.Mode()&fs.ModeSymlink == 0 && (!info.Mode().IsRegular() || info.Size() > maxCounted) {
		return nil, info.Size(), nil
	}
	f, err := durable.Place{Dir: dir, Name: base}.Open(info)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return readCountable(ctx, f)
}

// readCountable reads all of r and returns its length. It also returns the content, unless that is
// longer than maxCounted.
func readCountable(ctx context.Context, r io.Reader) ([]byte, int64, error) {
	r = &contextReader{ctx, r}
	data, err := io.ReadAll(io.LimitReader(r, maxCounted+1))
	if err != nil || len(data) <= maxCounted {
		return data, int64(len(data)), err
	}
	n, err := io.Copy(io.Discard, r)
	return nil, int64(len(data)) + n, err
}
