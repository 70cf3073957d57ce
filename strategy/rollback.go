package strategy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"entire/internal/git"
)

// giveUp rolls back a rewind that cannot be carried out, and returns a [*RolledBackError]. If the
// rollback fails, too, the journal stays for the next command to try again.
func (s *ManualCommitStrategy) giveUp(ctx context.Context, j *journal, cause error) error {
	unrestored, err := s.rollBack(ctx, j)
	if err != nil {
		return fmt.Errorf("%w; it could not be rolled back either: %w; the next command tries again", cause, err)
	}
	for _, what := range unrestored {
		cause = fmt.Errorf("%w; %s", cause, what)
	}
	if err := s.closeJournal(j); err != nil {
		return fmt.Errorf("%w; it was rolled back, but: %w", cause, err)
	}
	return &RolledBackError{cause}
}

// rollBack restores every path to its version from before the rewind: the same files, with their
// times. A path that somebody changed meanwhile stays; unrestored describes each path that is not
// restored.
func (s *ManualCommitStrategy) rollBack(ctx context.Context, j *journal) (unrestored []string, err error) {
	wt, err := s.repo.OpenWorktree()
	if err != nil {
		return nil, err
	}
	defer wt.Close()
	order := everything(j)
	slices.Reverse(order)
	current, err := s.standing(ctx, wt, j)
	if err != nil {
		return nil, err
	}
	for _, removing := range []bool{false, true} {
		if removing {
			if err := s.remakeFolders(wt, j); err != nil && !git.Occupied(err) {
				return nil, err
			}
		}
		for _, i := range order {
			c := j.Changes[i]
			if (c.NewMode == 0) != removing {
				continue
			}
			err = wt.Forget(c.path(), s.newSpot(j, i))
			switch {
			case err != nil:
			case current[i].as == asAfter:
				err = s.takeBack(ctx, wt, j, i)
			case current[i].as == asBefore && c.OldMode == 0 && j.Version >= 2: // folders may have been made for the file
				err = wt.Prune(c.path(), c.Folders)
			}
			switch {
			case current[i].as == otherwise, errors.Is(err, git.ErrChanged):
				unrestored = append(unrestored, c.path()+" was changed meanwhile and stays as it is")
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

// takeBack undoes change i, which was made.
func (s *ManualCommitStrategy) takeBack(ctx context.Context, wt *git.Worktree, j *journal, i int) error {
	c := j.Changes[i]
	if c.NewMode != 0 { // the placed file goes back to the staging folder
		if err := os.MkdirAll(filepath.Dir(s.newSpot(j, i)), 0o700); err != nil {
			return err
		}
	}
	if c.OldMode == 0 {
		return wt.Take(c.path(), s.newSpot(j, i), c.Folders, c.after)
	}
	from, err := s.oldFile(ctx, j, i)
	if err != nil {
		return err
	}
	return wt.Swap(c.path(), from, s.newSpot(j, i), c.after)
}

// oldFile returns the path of the file that change i replaced or removed. If that file is gone,
// oldFile writes it again.
func (s *ManualCommitStrategy) oldFile(ctx context.Context, j *journal, i int) (string, error) {
	c := j.Changes[i]
	for _, path := range []string{s.oldSpot(j, i), s.newSpot(j, i)} { // killed between exchange and rename, it is at the second path
		if fi, err := os.Lstat(path); err == nil && c.before(fi) {
			return path, nil
		}
	}
	dir := filepath.Join(s.stage(j), "again")
	if err := os.MkdirAll(filepath.Dir(s.oldSpot(j, i)), 0o700); err != nil {
		return "", err
	}
	err := s.repo.Materialise(ctx, j.Before, []git.File{{Path: c.path(), Mode: c.OldMode, OID: c.Old}}, dir)
	return filepath.Join(dir, filepath.FromSlash(c.path())), err
}

// stageAgain stages those files again that are still to be placed but are no longer in the staging
// folder, because somebody cleared it.
func (s *ManualCommitStrategy) stageAgain(ctx context.Context, j *journal, todo []int) error {
	var files []git.File
	for _, i := range todo {
		c := j.Changes[i]
		if c.NewMode == 0 {
			continue
		}
		fi, err := os.Lstat(s.newSpot(j, i))
		if errors.Is(err, fs.ErrNotExist) || err == nil && c.Now != nil && !c.Now.left(fi) {
			files = append(files, git.File{Path: c.path(), Mode: c.NewMode, OID: c.New})
			_ = os.Remove(s.newSpot(j, i))
			j.Changes[i].Now, j.Changes[i].Raw = nil, git.OID{}
		}
	}
	if err := os.MkdirAll(filepath.Dir(s.oldSpot(j, 0)), 0o700); err != nil || len(files) == 0 {
		return err
	}
	dir := s.stage(j)
	if j.Version >= 2 {
		dir = filepath.Join(dir, "new")
	}
	if err := s.repo.Materialise(ctx, j.After, files, dir); err != nil {
		return err
	}
	again := map[string]bool{}
	for _, f := range files {
		again[f.Path] = true
	}
	for i := range j.Changes {
		if c := &j.Changes[i]; again[c.path()] {
			if err := s.placeRaw(ctx, c, s.newSpot(j, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// remakeFolders makes the folders again that the rewind removed.
func (s *ManualCommitStrategy) remakeFolders(wt *git.Worktree, j *journal) error {
	for _, f := range j.Folders {
		if err := wt.MakeFolder(textPath(f.Path), f.Mode); err != nil {
			return err
		}
	}
	return nil
}
