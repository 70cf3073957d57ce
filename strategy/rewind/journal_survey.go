package rewind

import (
	"fmt"

	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// survey notes what is at every path that the rewind will change, before it is compared with the
// plan. It returns an error for a change that is bound to fail, while nothing has been changed
// yet.
func survey(s *sessionstate.Env, j *restore.RewindJournal) error {
	wt, err := s.Repo.OpenWorktree()
	if err != nil {
		return err
	}
	defer wt.Close()
	seen := map[string]bool{}
	for i := range j.Changes {
		c := &j.Changes[i]
		st, err := wt.Preflight(c.Text())
		if err != nil {
			return fmt.Errorf("%w; nothing was changed", err)
		}
		c.ExistingFolders = st.Folders
		switch {
		case st.Info != nil && st.Info.IsDir():
			if !seen[c.Text()] { // the folder is empty, or removals empty it; see dropBlocked
				seen[c.Text()] = true
				j.Folders = append(j.Folders, worktree.RemovedFolder{Path: sessionstate.EncodePath(c.Text()), Mode: st.Info.Mode().Perm()})
			}
		case st.Info != nil:
			c.OldFile = worktree.FootprintOf(st.Info)
		}
		if c.NewMode == 0 {
			above, err := worktree.FoldersAbove(wt, c.Text(), seen)
			if err != nil {
				return fmt.Errorf("%w; nothing was changed", err)
			}
			j.Folders = append(j.Folders, above...)
		}
	}
	return nil
}
