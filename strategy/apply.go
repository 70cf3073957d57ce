package strategy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"entire/internal/git"
)

// RolledBackError is returned by a rewind that failed and restored every file as it was before.
type RolledBackError struct{ Err error }

func (e *RolledBackError) Error() string {
	return fmt.Sprintf("%v; every file is as it was before", e.Err)
}

func (e *RolledBackError) Unwrap() error { return e.Err }

// apply removes and writes the files of the journal one by one. A file that has neither its old
// nor its new content was changed by somebody else: a fresh rewind then fails with
// ErrWorktreeMoved, a resumed rewind keeps the file and lists it. After an error, some files are
// changed already.
func (s *ManualCommitStrategy) apply(ctx context.Context, j *journal, out *RewindOutcome, fresh bool) error {
	wt, err := s.repo.OpenWorktree()
	if err != nil {
		return err
	}
	defer wt.Close()
	todo := everything(j)
	if !fresh {
		if todo, err = s.undone(ctx, wt, j, out); err != nil {
			return err
		}
		if err := s.stageAgain(ctx, j, todo); err != nil {
			return err
		}
	}
	for _, i := range todo {
		c := j.Changes[i]
		err := s.change(wt, j, i)
		if errors.Is(err, git.ErrFolderStays) {
			out.Warnings = append(out.Warnings, err.Error())
			err = nil
		}
		switch {
		case err == nil && c.NewMode == 0:
			out.Removed = append(out.Removed, c.path())
		case err == nil:
			out.Written = append(out.Written, c.path())
		case !fresh && errors.Is(err, git.ErrChanged):
			out.Kept = append(out.Kept, KeptFile{c.path(), changedMeanwhile})
		case errors.Is(err, git.ErrChanged):
			return fmt.Errorf("%w: %s", ErrWorktreeMoved, c.path())
		default:
			return err
		}
	}
	if err := s.verify(ctx, wt, j, out); err != nil {
		return err
	}
	return wt.MakeDurable(changedPaths(j))
}

// change carries out the i-th change of the journal.
func (s *ManualCommitStrategy) change(wt *git.Worktree, j *journal, i int) error {
	c := j.Changes[i]
	if c.NewMode == 0 {
		return wt.Take(c.path(), s.oldSpot(j, i), c.Stay, c.before)
	}
	return wt.Swap(c.path(), s.newSpot(j, i), s.oldSpot(j, i), c.before)
}

const changedMeanwhile = "changed meanwhile"

// everything returns the indexes of the journal's changes in the order in which they are applied:
// removals first, to make room.
func everything(j *journal) []int {
	var removals, rest []int
	for i, c := range j.Changes {
		if c.NewMode == 0 {
			removals = append(removals, i)
		} else {
			rest = append(rest, i)
		}
	}
	return append(removals, rest...)
}

func changedPaths(j *journal) []string {
	out := make([]string, len(j.Changes))
	for i, c := range j.Changes {
		out[i] = c.path()
	}
	return out
}

// undone returns the indexes of the changes that an interrupted rewind has not made yet.
func (s *ManualCommitStrategy) undone(ctx context.Context, wt *git.Worktree, j *journal, out *RewindOutcome) ([]int, error) {
	var todo []int
	states, err := s.standing(ctx, wt, j)
	if err != nil {
		return nil, err
	}
	for _, i := range everything(j) {
		c := &j.Changes[i]
		switch states[i].as {
		case asAfter:
			if c.NewMode == 0 { // the interruption may have left empty folders
				err = wt.Prune(c.path(), c.Stay)
			}
			if errors.Is(err, git.ErrFolderStays) {
				out.Warnings = append(out.Warnings, err.Error())
				err = nil
			}
		case asBefore:
			if states[i].info != nil {
				c.Was = footprintOf(states[i].info)
			}
			todo = append(todo, i)
		default:
			out.Kept = append(out.Kept, KeptFile{c.path(), changedMeanwhile})
		}
		if err = errors.Join(err, wt.Forget(c.path(), s.newSpot(j, i))); err != nil {
			return nil, err
		}
	}
	return todo, nil
}

// stands says in which condition a path of an interrupted rewind is.
type stands struct {
	as   condition
	info fs.FileInfo // nil for no file
}

type condition int

const (
	otherwise condition = iota // changed by somebody else
	asBefore
	asAfter
)

// standing returns the condition of every path of the journal. It compares footprints, and
// content where a footprint does not decide.
func (s *ManualCommitStrategy) standing(ctx context.Context, wt *git.Worktree, j *journal) ([]stands, error) {
	out := make([]stands, len(j.Changes))
	var unclear []planned
	for i, c := range j.Changes {
		fi, err := wt.Lstat(c.path())
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, git.ErrThroughLink) {
			return nil, err
		}
		if err == nil && !fi.IsDir() { // a folder at the path, or a link above it, means that there is no file
			out[i].info = fi
		}
		switch {
		case meets(c.NewMode, c.Now, out[i].info) && (c.NewMode == 0 || c.Now != nil):
			out[i].as = asAfter
		case meets(c.OldMode, c.Was, out[i].info) && (c.OldMode == 0 || c.Was != nil):
			out[i].as = asBefore
		case out[i].info != nil:
			unclear = append(unclear, c)
		}
	}
	if len(unclear) == 0 {
		return out, nil
	}
	disk, err := s.onDisk(ctx, unclear)
	if err != nil {
		return nil, err
	}
	for i, c := range j.Changes {
		f, asked := disk[c.path()]
		switch {
		case !asked || out[i].as != otherwise:
		case s.stands(f, c.NewMode, c.New):
			out[i].as = asAfter
		case s.stands(f, c.OldMode, c.Old):
			out[i].as = asBefore
		}
	}
	return out, nil
}

// onDisk reads and hashes the file at each path.
func (s *ManualCommitStrategy) onDisk(ctx context.Context, changes []planned) (map[string]fileState, error) {
	var entries []git.StatusEntry
	for _, c := range changes {
		// A HEAD side that no file equals makes the snapshot report every path.
		entries = append(entries, git.StatusEntry{Path: c.path(), HeadMode: git.ModeTree})
	}
	snap, err := s.uncapped().takeSnapshot(ctx, &git.Status{Entries: entries})
	if err != nil {
		return nil, err
	}
	if snap.broken != nil {
		return nil, snap.broken // the files could not be compared
	}
	disk := map[string]fileState{}
	for _, f := range snap.files {
		disk[f.path] = f
	}
	for _, k := range snap.skipped { // it exists and cannot be read: it equals nothing
		disk[k.Path] = fileState{path: k.Path, mode: git.ModeTree}
	}
	return disk, nil
}

// stands reports whether f has the mode and content that a tree names. The executable bit is
// ignored where the repository ignores it.
func (s *ManualCommitStrategy) stands(f fileState, mode uint32, oid git.OID) bool {
	if !s.repo.FileMode && isRegular(f.mode) && isRegular(mode) {
		return f.oid == oid
	}
	return f.sameContent(mode, oid)
}

func isRegular(mode uint32) bool { return mode == git.ModeFile || mode == git.ModeExec }

// verify reads back every file that was written. A file that somebody has changed since is
// skipped; a file that has the footprint of the written one and other content is an error.
func (s *ManualCommitStrategy) verify(ctx context.Context, wt *git.Worktree, j *journal, out *RewindOutcome) error {
	written := setOf(out.Written)
	var filtered []planned
	for _, c := range j.Changes {
		if !written[c.path()] || c.Now == nil {
			continue
		}
		raw, _, err := wt.RawOID(s.repo, c.path())
		if err != nil {
			return err
		}
		want := c.Raw
		if want.IsZero() { // a link
			want = c.New
		}
		if raw != want {
			if fi, err := wt.Lstat(c.path()); err == nil && c.after(fi) {
				return fmt.Errorf("verify %s: it does not read back as it was written", c.path())
			}
			continue
		}
		if !c.Raw.IsZero() && c.Raw != c.New {
			filtered = append(filtered, c)
		}
	}
	return s.verifyFiltered(ctx, filtered, out)
}

// verifyFiltered runs git's filters over written files and warns of each file whose content they
// do not turn into the blob that it was written from.
func (s *ManualCommitStrategy) verifyFiltered(ctx context.Context, changes []planned, out *RewindOutcome) error {
	if len(changes) == 0 {
		return nil
	}
	disk, err := s.onDisk(ctx, changes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if f := disk[c.path()]; !s.stands(f, c.NewMode, c.New) {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s reads back differently; its filters may not be lossless", c.path()))
		}
	}
	return nil
}
