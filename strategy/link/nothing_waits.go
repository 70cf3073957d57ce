package link

import (
	"context"
	"os"
	"path/filepath"

	"entire/session"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// NoteNothingWaits leaves a note for the hook scripts if the next commits of a person cannot be linked: no
// session has work that is not committed, nothing waits for a commit, and no reset has undone a linked one.
// The scripts then start no program as long as the note is newer than the sessions' states and the settings.
// Otherwise it removes the note. It keeps none in a repository with linked worktrees, and none while git is in
// a sequence of commits.
func NoteNothingWaits(ctx context.Context, s *sessionstate.Env) {
	// The message of this commit is not known to name no checkpoint.
	_ = os.Remove(filepath.Join(s.LocalDir(), sessionstate.NamesNoneName))
	note := filepath.Join(s.LocalDir(), sessionstate.NothingWaitsName)
	if githead.HasChoice(s) { // the usual case of a commit with an agent's work
		_ = os.Remove(note)
		return
	}
	f, err := os.CreateTemp(s.LocalDir(), sessionstate.NothingWaitsName+".tmp-entire-*") // its time is from before the states are read
	if err != nil {
		_ = os.Remove(note)
		return
	}
	err = f.Close()
	if err == nil && nothingWaits(ctx, s) {
		err = os.Rename(f.Name(), note)
	} else {
		_ = os.Remove(note)
	}
	if err != nil || sessionstate.PathExists(f.Name()) {
		_ = os.Remove(f.Name())
	}
}

func nothingWaits(ctx context.Context, s *sessionstate.Env) bool {
	if linked := filepath.Join(s.Repo.CommonDir, "worktrees"); s.Repo.WorktreeID != "" || sessionstate.PathExists(linked) {
		return false
	}
	if len(s.Credits) > 0 || githead.HasChoice(s) || githead.InSequence(ctx, s) || !worktree.ReloadCache(ctx, s).Tip.IsZero() {
		return false
	}
	sums, err := s.Store.Summaries(ctx)
	if err != nil {
		return false
	}
	for _, sum := range sums {
		if step.HasPendingWork(sum) || sum.TurnCheckpointIDs > 0 || sum.Phase == session.PhaseActive {
			return false
		}
	}
	undone, err := evidence.UndoneCommits(ctx, s)
	return err == nil && len(undone) == 0
}
