package restore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// AbortRewind rolls back a rewind that cannot be carried out, and returns a [*RolledBackError]. If the
// rollback fails, too, the journal stays for the next command to try again.
func AbortRewind(ctx context.Context, s *sessionstate.Env, j *RewindJournal, cause error) error {
	unrestored, err := RollBack(ctx, s, j)
	if err != nil {
		return fmt.Errorf("%w; it could not be rolled back either: %w; the next command tries again", cause, err)
	}
	for _, what := range unrestored {
		cause = fmt.Errorf("%w; %s", cause, what)
	}
	if err := CloseJournal(s, j); err != nil {
		return fmt.Errorf("%w; it was rolled back, but: %w", cause, err)
	}
	return &RolledBackError{cause}
}

// RollBack restores every path to its version from before the rewind: the same files, with their
// times. A path that somebody changed meanwhile stays; unrestored describes each path that is not
// restored.
func RollBack(ctx context.Context, s *sessionstate.Env, j *RewindJournal) (unrestored []string, err error) {
	wt, err := s.Repo.OpenWorktree()
	if err != nil {
		return nil, err
	}
	defer wt.Close()
	order := ApplyOrder(j)
	slices.Reverse(order)
	current, err := pathStates(ctx, s, wt, j)
	if err != nil {
		return nil, err
	}
	for _, removing := range []bool{false, true} {
		if removing {
			if err := remakeFolders(wt, j); err != nil && !git.Occupied(err) {
				return nil, err
			}
		}
		for _, i := range order {
			c := j.Changes[i]
			if (c.NewMode == 0) != removing {
				continue
			}
			err = wt.Forget(c.Text(), StagedNewPath(s, j, i))
			switch {
			case err != nil:
			case current[i].is == asAfterRewind:
				err = undoChange(ctx, s, wt, j, i)
			case current[i].is == asBeforeRewind && c.OldMode == 0 && j.Version >= 2: // folders may have been made for the file
				err = wt.Prune(c.Text(), c.ExistingFolders)
			}
			switch {
			case current[i].is == changedByOther, errors.Is(err, git.ErrChanged):
				unrestored = append(unrestored, c.Text()+" was changed meanwhile and stays as it is")
			case errors.Is(err, git.ErrFolderStays):
				unrestored = append(unrestored, err.Error())
			case git.Occupied(err):
				unrestored = append(unrestored, fmt.Sprintf("%v: what was there is in %s", err, j.Safety.Short()))
			case err != nil:
				return nil, err
			}
		}
	}
	return unrestored, wt.MakeDurable(changedPaths(j))
}

// undoChange undoes change i, which was made.
func undoChange(ctx context.Context, s *sessionstate.Env, wt *git.Worktree, j *RewindJournal, i int) error {
	c := j.Changes[i]
	if c.NewMode != 0 { // the placed file goes back to the staging folder
		if err := os.MkdirAll(filepath.Dir(StagedNewPath(s, j, i)), 0o700); err != nil {
			return err
		}
	}
	if c.OldMode == 0 {
		return wt.Take(c.Text(), StagedNewPath(s, j, i), c.ExistingFolders, c.isAfter)
	}
	from, err := replacedFile(ctx, s, j, i)
	if err != nil {
		return err
	}
	return wt.Swap(c.Text(), from, StagedNewPath(s, j, i), c.isAfter)
}

// replacedFile returns the path of the file that change i replaced or removed. If that file is gone,
// replacedFile writes it again.
func replacedFile(ctx context.Context, s *sessionstate.Env, j *RewindJournal, i int) (string, error) {
	c := j.Changes[i]
	for _, path := range []string{stagedOldPath(s, j, i), StagedNewPath(s, j, i)} { // killed between exchange and rename, it is at the second path
		if fi, err := os.Lstat(path); err == nil && c.isBefore(fi) {
			return path, nil
		}
	}
	dir := filepath.Join(StageDir(s, j), "again")
	if err := os.MkdirAll(filepath.Dir(stagedOldPath(s, j, i)), 0o700); err != nil {
		return "", err
	}
	err := s.Repo.Materialise(ctx, j.Before, []git.File{{Path: c.Text(), Mode: c.OldMode, OID: c.Old}}, dir)
	return filepath.Join(dir, filepath.FromSlash(c.Text())), err
}

// restage stages those files again that are still to be placed but are no longer in the staging
// folder, because somebody cleared it.
func restage(ctx context.Context, s *sessionstate.Env, j *RewindJournal, todo []int) error {
	var files []git.File
	var exact []int
	for _, i := range todo {
		c := j.Changes[i]
		if c.NewMode == 0 {
			continue
		}
		fi, err := os.Lstat(StagedNewPath(s, j, i))
		if errors.Is(err, fs.ErrNotExist) || err == nil && c.NewFile != nil && !c.NewFile.Matches(fi) {
			if c.ExactOID.IsZero() {
				files = append(files, git.File{Path: c.Text(), Mode: c.NewMode, OID: c.New})
			} else {
				exact = append(exact, i)
			}
			_ = os.Remove(StagedNewPath(s, j, i))
			j.Changes[i].NewFile, j.Changes[i].PlacedOID = nil, git.OID{}
		}
	}
	if err := os.MkdirAll(filepath.Dir(stagedOldPath(s, j, 0)), 0o700); err != nil || len(files)+len(exact) == 0 {
		return err
	}
	dir := StageDir(s, j)
	if j.Version >= 2 {
		dir = filepath.Join(dir, "new")
	}
	if err := s.Repo.Materialise(ctx, j.After, files, dir); err != nil {
		return err
	}
	for _, i := range exact {
		if err := placeRaw(ctx, s, &j.Changes[i], StagedNewPath(s, j, i)); err != nil {
			return err
		}
	}
	return nil
}

// remakeFolders makes the folders again that the rewind removed.
func remakeFolders(wt *git.Worktree, j *RewindJournal) error {
	for _, f := range j.Folders {
		if err := wt.MakeFolder(sessionstate.DecodePath(f.Path), f.Mode); err != nil {
			return err
		}
	}
	return nil
}
