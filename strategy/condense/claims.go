package condense

import (
	"context"
	"maps"

	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/evidence"
	"entire/strategy/ownership"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// OthersActive reports whether another session of this worktree is in the middle of a turn. An
// error counts as no.
func OthersActive(ctx context.Context, s *sessionstate.Env, self id.SessionID) bool {
	sums, err := s.Store.Summaries(ctx)
	if err != nil {
		return false
	}
	for _, sum := range sums {
		if sum.ID != self && sum.Phase == session.PhaseActive && s.InThisWorktree(sum.WorktreePath, sum.WorktreeID) {
			return true
		}
	}
	return false
}

// ClaimedPaths returns the changed paths that are this session's work, deleted files among them: all of them if no other
// session has claimed or written one. Otherwise a path is the session's if its own calls wrote it, or if no call of
// another session did and either this step changed it or no other session has claimed it.
func ClaimedPaths(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot, w step.WrittenStep, changed []git.Change) []string {
	var all []string
	for _, c := range changed {
		// If HEAD moved during the turn, a file that is as in HEAD came with the move.
		if _, dirty := worktree.Find(snap.Files, c.Path); dirty || o.Engine.TurnStart.Head == snap.Head {
			all = append(all, c.Path)
		}
	}
	did := ownership.ActivityIn(s, o, max(o.Engine.TurnNumber, 1))
	if did.Idle() {
		return nil // its calls can have written nothing
	}
	all = worktree.DropIncluded(ctx, s, all)
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return all // the other sessions are not known, and count as having claimed nothing
	}
	claimed, named := OthersFiles(ctx, s, o.ID, sums, worktree.SetOf(all))
	if len(claimed)+len(named) == 0 {
		return all
	}
	own, byStep := map[string]bool{}, changedByStep(ctx, s, w, all)
	if o.Engine.Capture.Conversation != nil {
		own = worktree.SetOf(evidence.OwnEdits(s, o))
	}
	var out []string
	for _, p := range all {
		if own[p] || did.ToolCallsComplete && did.Reach.Wrote(p) || !named[p] && (byStep[p] || !claimed[p]) {
			out = append(out, p)
		}
	}
	return out
}

// changedByStep returns the paths that differ between a step and the step before it: all paths for
// the first step of a branch, none for a skipped step or an error.
func changedByStep(ctx context.Context, s *sessionstate.Env, w step.WrittenStep, all []string) map[string]bool {
	out := map[string]bool{}
	switch {
	case w.Skipped:
		return out
	case w.Parent.IsZero():
		return worktree.SetOf(all)
	}
	before, err := s.Repo.Reader(ctx).Commit(w.Parent)
	if err != nil {
		return out
	}
	changes, err := step.CodeDiff(ctx, s, before.Tree, w.Tree)
	if err != nil {
		return out
	}
	return worktree.SetOf(step.Paths(changes))
}

// OthersFiles returns those of some paths that other sessions of this worktree have claimed, and
// those that calls of sessions in the middle of a turn have written since their last step.
func OthersFiles(ctx context.Context, s *sessionstate.Env, self id.SessionID, sums []session.Summary, among map[string]bool) (claimed, named map[string]bool) {
	return claimedAndNamed(othersWork(ctx, s, self, sums, among))
}

// claimedAndNamed returns the touched and the written paths of some sessions' work.
func claimedAndNamed(others []transcript.SessionWork) (claimed, named map[string]bool) {
	claimed, named = map[string]bool{}, map[string]bool{}
	for _, w := range others {
		maps.Copy(claimed, w.Touched)
		maps.Copy(named, w.Edited)
	}
	return claimed, named
}

// othersWork returns the work of other sessions of this worktree that may concern some paths, as
// their states show it, without the versions that they left.
func othersWork(ctx context.Context, s *sessionstate.Env, self id.SessionID, sums []session.Summary, among map[string]bool) []transcript.SessionWork {
	var out []transcript.SessionWork
	for _, sum := range sums {
		if sum.ID == self || !step.HasPendingWork(sum) ||
			sum.Phase != session.PhaseActive && !sum.Touches(func(p string) bool { return among[sessionstate.DecodePath(p)] }) {
			continue
		}
		o := &sessionstate.LockedSession{ID: sum.ID}
		if err := s.ReadSession(ctx, o); err != nil || o.IsNew {
			continue
		}
		w := evidence.NewSessionWork(o)
		w.Touched = worktree.SetOf(sessionstate.DecodePaths(o.State.FilesTouched))
		if o.State.Phase == session.PhaseActive {
			evidence.ScanLiveTranscript(s, o, &w)
			for p := range among {
				if w.Reach.Wrote(p) {
					w.Edited[p] = true
				}
			}
		}
		out = append(out, w)
	}
	return out
}
