package strategy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/git"
)

// keepBlocked takes changes out of the plan that cannot be made, because something that stays is
// in the way or because the file system cannot hold the name.
func (s *ManualCommitStrategy) keepBlocked(wt *git.Worktree, plan *RewindPlan) error {
	going := map[string]bool{}
	for _, c := range plan.Changes {
		if c.change.NewMode == 0 {
			going[c.Path] = true
		}
	}
	rest := plan.Changes[:0]
	for _, c := range plan.Changes {
		why, err := s.whyBlocked(wt, c.change, going)
		if err != nil {
			return err
		}
		if why != "" {
			plan.Kept = append(plan.Kept, KeptFile{c.Path, why})
		} else {
			rest = append(rest, c)
		}
	}
	plan.Changes = rest
	return nil
}

// whyBlocked returns why a change cannot be made, "" if it can. going are the files that the plan
// removes.
func (s *ManualCommitStrategy) whyBlocked(wt *git.Worktree, c git.Change, going map[string]bool) (string, error) {
	if err := git.PossiblePath(c.Path); err != nil {
		return err.Error(), nil
	}
	if c.NewMode == 0 {
		return "", nil
	}
	for _, dir := range parents(c.Path) {
		fi, err := wt.Lstat(dir)
		if err == nil && !fi.IsDir() && !going[dir] {
			return dir + " is in the way", nil
		}
	}
	if fi, err := wt.Lstat(c.Path); err != nil || !fi.IsDir() {
		return "", nil
	}
	stays, err := s.staysIn(c.Path, going)
	switch {
	case err != nil && unlessDenied(err) == nil && !holdsGoing(c.Path, going):
		return "a folder is in the way that is not readable", nil
	case err != nil:
		return "", fmt.Errorf("read the worktree: %w: nothing was changed", err)
	case stays != "":
		return "a folder is in the way, with " + stays, nil
	}
	return "", nil
}

// errStays ends the walk of staysIn.
var errStays = errors.New("something stays")

// staysIn returns the first path in a folder that the plan leaves there, "" if the folder will be
// empty. An error means that the folder could not be read.
func (s *ManualCommitStrategy) staysIn(dir string, going map[string]bool) (stays string, err error) {
	err = filepath.WalkDir(filepath.Join(s.repo.Top, filepath.FromSlash(dir)), func(full string, d fs.DirEntry, err error) error {
		rel, rerr := filepath.Rel(s.repo.Top, full)
		p := filepath.ToSlash(rel)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil
		case err != nil:
			return err
		case rerr != nil || d.IsDir() && (p == dir || holdsGoing(p, going)), going[p]:
			return nil
		}
		stays = p
		return errStays
	})
	if errors.Is(err, errStays) {
		err = nil
	}
	return stays, err
}

// holdsGoing reports whether a folder holds a file that the plan removes; removing it may remove
// the folder.
func holdsGoing(dir string, going map[string]bool) bool {
	for p := range going {
		if below(p, dir) {
			return true
		}
	}
	return false
}
