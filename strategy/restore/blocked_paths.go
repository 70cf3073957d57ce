package restore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// WhyBlocked returns why a change cannot be made, "" if it can. going are the files that the plan
// removes.
func WhyBlocked(s *sessionstate.Env, wt *git.Worktree, c git.Change, going map[string]bool) (string, error) {
	if err := git.PossiblePath(c.Path); err != nil {
		return err.Error(), nil
	}
	if c.NewMode == 0 {
		return "", nil
	}
	for _, dir := range worktree.Parents(c.Path) {
		fi, err := wt.Lstat(dir)
		if err == nil && !fi.IsDir() && !going[dir] {
			return dir + " is in the way", nil
		}
	}
	if fi, err := wt.Lstat(c.Path); err != nil || !fi.IsDir() {
		return "", nil
	}
	stays, err := firstKeptIn(s, c.Path, going)
	switch {
	case err != nil && worktree.IgnoreDenied(err) == nil && !containsRemoved(c.Path, going):
		return "a folder is in the way that is not readable", nil
	case err != nil:
		return "", fmt.Errorf("read the worktree: %w: nothing was changed", err)
	case stays != "":
		return "a folder is in the way, with " + stays, nil
	}
	return "", nil
}

// errKeptFound ends the walk of firstKeptIn.
var errKeptFound = errors.New("something stays")

// firstKeptIn returns the first path in a folder that the plan leaves there, "" if the folder will be
// empty. An error means that the folder could not be read.
func firstKeptIn(s *sessionstate.Env, dir string, going map[string]bool) (stays string, err error) {
	err = filepath.WalkDir(filepath.Join(s.Repo.Top, filepath.FromSlash(dir)), func(full string, d fs.DirEntry, err error) error {
		rel, rerr := filepath.Rel(s.Repo.Top, full)
		p := filepath.ToSlash(rel)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil
		case err != nil:
			return err
		case rerr != nil || d.IsDir() && (p == dir || containsRemoved(p, going)), going[p]:
			return nil
		}
		stays = p
		return errKeptFound
	})
	if errors.Is(err, errKeptFound) {
		err = nil
	}
	return stays, err
}

// containsRemoved reports whether a folder holds a file that the plan removes; removing it may remove
// the folder.
func containsRemoved(dir string, going map[string]bool) bool {
	for p := range going {
		if worktree.BelowFolder(p, dir) {
			return true
		}
	}
	return false
}
