package maintain

import (
	"context"
	"slices"

	"entire/internal/git"
	"entire/session"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// restoreDeleted makes the shadow branch of HEAD again if somebody has deleted it, such as with all branches but one: a
// session has uncommitted work there, and the worktree's cache names the newest step, which git keeps for weeks.
func restoreDeleted(ctx context.Context, s *sessionstate.Env, head git.OID, ref string) {
	if _, exists, err := s.Repo.Reader(ctx).CommitOf(ref); exists || err != nil {
		return
	}
	tip := worktree.CachedTip(s, head, ref)
	if tip.IsZero() || !lostAtTip(ctx, s, tip).IsZero() {
		return
	}
	sums, err := step.WorktreeSessions(ctx, s)
	waits := func(sum session.Summary) bool { return sum.FilesTouched > 0 && sum.BaseCommit == head.String() }
	if err != nil || !slices.ContainsFunc(sums, waits) {
		return
	}
	err = s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: ref, New: tip}})
	s.Log.Warn("a deleted shadow branch is made again", "ref", ref, "tip", tip.String(), "err", err)
	s.Cache = nil
}
