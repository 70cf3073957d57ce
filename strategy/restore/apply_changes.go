package restore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// RolledBackError is returned by a rewind that failed and restored every file as it was before.
type RolledBackError struct{ Err error }

func (e *RolledBackError) Error() string {
	return fmt.Sprintf("%v; every file is as it was before", e.Err)
}

func (e *RolledBackError) Unwrap() error { return e.Err }

// ApplyChanges removes and writes the files of the journal one by one. A file that has neither its old
// nor its new content was changed by somebody else: a fresh rewind then fails with
// ErrWorktreeMoved, a resumed rewind keeps the file and lists it. After an error, some files are
// changed already.
func ApplyChanges(ctx context.Context, s *sessionstate.Env, j *RewindJournal, out *RewindOutcome, fresh bool) error {
	wt, err := s.Repo.OpenWorktree()
	if err != nil {
		return err
	}
	defer wt.Close()
	todo := ApplyOrder(j)
	if !fresh {
		if todo, err = unappliedChanges(ctx, s, wt, j, out); err != nil {
			return err
		}
		if err := restage(ctx, s, j, todo); err != nil {
			return err
		}
	}
	for _, i := range todo {
		c := j.Changes[i]
		err := ApplyChange(s, wt, j, i)
		if errors.Is(err, git.ErrFolderStays) {
			out.Warnings = append(out.Warnings, err.Error())
			err = nil
		}
		switch {
		case err == nil && c.NewMode == 0:
			out.Removed = append(out.Removed, c.Text())
		case err == nil:
			out.Written = append(out.Written, c.Text())
		case !fresh && errors.Is(err, git.ErrChanged):
			out.Kept = append(out.Kept, sessionstate.KeptFile{Path: c.Text(), Why: changedMeanwhile})
		case errors.Is(err, git.ErrChanged):
			return fmt.Errorf("%w: %s", ErrWorktreeMoved, c.Text())
		default:
			return err
		}
	}
	if err := verify(ctx, s, wt, j, out); err != nil {
		return err
	}
	return wt.MakeDurable(changedPaths(j))
}

// ApplyChange carries out the i-th change of the journal.
func ApplyChange(s *sessionstate.Env, wt *git.Worktree, j *RewindJournal, i int) error {
	c := j.Changes[i]
	if c.NewMode == 0 {
		return wt.Take(c.Text(), stagedOldPath(s, j, i), c.KeptFolders, c.isBefore)
	}
	return wt.Swap(c.Text(), StagedNewPath(s, j, i), stagedOldPath(s, j, i), c.isBefore)
}

const changedMeanwhile = "changed meanwhile"

// ApplyOrder returns the indexes of the journal's changes in the order in which they are applied:
// removals first, to make room.
func ApplyOrder(j *RewindJournal) []int {
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

func changedPaths(j *RewindJournal) []string {
	out := make([]string, len(j.Changes))
	for i, c := range j.Changes {
		out[i] = c.Text()
	}
	return out
}

// unappliedChanges returns the indexes of the changes that an interrupted rewind has not made yet.
func unappliedChanges(ctx context.Context, s *sessionstate.Env, wt *git.Worktree, j *RewindJournal, out *RewindOutcome) ([]int, error) {
	var todo []int
	states, err := pathStates(ctx, s, wt, j)
	if err != nil {
		return nil, err
	}
	for _, i := range ApplyOrder(j) {
		c := &j.Changes[i]
		switch states[i].is {
		case asAfterRewind:
			if c.NewMode == 0 { // the interruption may have left empty folders
				err = wt.Prune(c.Text(), c.KeptFolders)
			}
			if errors.Is(err, git.ErrFolderStays) {
				out.Warnings = append(out.Warnings, err.Error())
				err = nil
			}
		case asBeforeRewind:
			if states[i].info != nil {
				c.OldFile = worktree.FootprintOf(states[i].info)
			}
			todo = append(todo, i)
		default:
			out.Kept = append(out.Kept, sessionstate.KeptFile{Path: c.Text(), Why: changedMeanwhile})
		}
		if err = errors.Join(err, wt.Forget(c.Text(), StagedNewPath(s, j, i))); err != nil {
			return nil, err
		}
	}
	return todo, nil
}

// pathState says in which condition a path of an interrupted rewind is.
type pathState struct {
	is   pathCondition
	info fs.FileInfo // nil for no file
}

type pathCondition int

const (
	changedByOther pathCondition = iota // changed by somebody else
	asBeforeRewind
	asAfterRewind
)

// pathStates returns the condition of every path of the journal. It compares footprints, and
// content where a footprint does not decide.
func pathStates(ctx context.Context, s *sessionstate.Env, wt *git.Worktree, j *RewindJournal) ([]pathState, error) {
	out := make([]pathState, len(j.Changes))
	var unclear []JournalChange
	for i, c := range j.Changes {
		fi, err := wt.Lstat(c.Text())
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, git.ErrThroughLink) {
			return nil, err
		}
		if err == nil && !fi.IsDir() { // a folder at the path, or a link above it, means that there is no file
			out[i].info = fi
		}
		switch {
		case worktree.MatchesFootprint(c.NewMode, c.NewFile, out[i].info) && (c.NewMode == 0 || c.NewFile != nil):
			out[i].is = asAfterRewind
		case worktree.MatchesFootprint(c.OldMode, c.OldFile, out[i].info) && (c.OldMode == 0 || c.OldFile != nil):
			out[i].is = asBeforeRewind
		case out[i].info != nil:
			unclear = append(unclear, c)
		}
	}
	if len(unclear) == 0 {
		return out, nil
	}
	disk, err := HashOnDisk(ctx, s, unclear)
	if err != nil {
		return nil, err
	}
	for i, c := range j.Changes {
		f, asked := disk[c.Text()]
		switch {
		case !asked || out[i].is != changedByOther:
		case MatchesTree(s, f, c.NewMode, c.New):
			out[i].is = asAfterRewind
		case MatchesTree(s, f, c.OldMode, c.Old):
			out[i].is = asBeforeRewind
		}
	}
	return out, nil
}

// HashOnDisk reads and hashes the file at each path.
func HashOnDisk(ctx context.Context, s *sessionstate.Env, changes []JournalChange) (map[string]sessionstate.PathVersion, error) {
	var entries []git.StatusEntry
	for _, c := range changes {
		// A HEAD side that no file equals makes the snapshot report every path.
		entries = append(entries, git.StatusEntry{Path: c.Text(), HeadMode: git.ModeTree})
	}
	snap, err := worktree.TakeSnapshot(ctx, worktree.WithoutLimits(s), &git.Status{Entries: entries})
	if err != nil {
		return nil, err
	}
	if snap.DiskError != nil {
		return nil, snap.DiskError // the files could not be compared
	}
	disk := map[string]sessionstate.PathVersion{}
	for _, f := range snap.Files {
		disk[f.Path] = f
	}
	for _, k := range snap.Skipped { // it exists and cannot be read: it equals nothing
		disk[k.Path] = sessionstate.PathVersion{Path: k.Path, Mode: git.ModeTree}
	}
	return disk, nil
}

// MatchesTree reports whether f has the mode and content that a tree names. Where the repository ignores the
// executable bit, that counts for nothing, and where links are plain files, one that has a link's text is the link.
func MatchesTree(s *sessionstate.Env, f sessionstate.PathVersion, mode uint32, oid git.OID) bool {
	if worktree.IsRegular(f.Mode) && (!s.Repo.FileMode && worktree.IsRegular(mode) || s.Repo.PlainLinks && mode == git.ModeSymlink) {
		return f.OID == oid
	}
	return worktree.SameContent(f, mode, oid)
}

// verify reads back every file that was written. A file that somebody has changed since is
// skipped; a file that has the footprint of the written one and other content is an error.
func verify(ctx context.Context, s *sessionstate.Env, wt *git.Worktree, j *RewindJournal, out *RewindOutcome) error {
	written := worktree.SetOf(out.Written)
	var filtered []JournalChange
	for _, c := range j.Changes {
		if !written[c.Text()] || c.NewFile == nil {
			continue
		}
		raw, _, err := wt.RawOID(s.Repo, c.Text())
		if err != nil {
			return err
		}
		want := c.PlacedOID
		if want.IsZero() { // a link
			want = c.New
		}
		if raw != want {
			if fi, err := wt.Lstat(c.Text()); err == nil && c.isAfter(fi) {
				return fmt.Errorf("verify %s: it does not read back as it was written", c.Text())
			}
			continue
		}
		if !c.PlacedOID.IsZero() && c.PlacedOID != c.New {
			filtered = append(filtered, c)
		}
	}
	return verifyFiltered(ctx, s, filtered, out)
}

// verifyFiltered runs git's filters over written files and warns of each file whose content they
// do not turn into the blob that it was written from.
func verifyFiltered(ctx context.Context, s *sessionstate.Env, changes []JournalChange, out *RewindOutcome) error {
	if len(changes) == 0 {
		return nil
	}
	disk, err := HashOnDisk(ctx, s, changes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if f := disk[c.Text()]; !MatchesTree(s, f, c.NewMode, c.New) {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s reads back differently; its filters may not be lossless", c.Text()))
		}
	}
	return nil
}
