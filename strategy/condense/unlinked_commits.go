package condense

import (
	"context"
	"errors"
	"slices"

	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/ownership"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// FollowUnlinked moves the steps on the commit's parent, or on the commit that it replaces, to the
// commit. Work in a commit without a link is no longer pending; status reports it.
func FollowUnlinked(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, sums []session.Summary) error {
	base := cm.Parent
	if was := githead.AmendedCommit(ctx, s, cm); !was.IsZero() {
		base = was
	}
	if err := ownership.NoteUnlinkedLines(ctx, s, cm, base, sums); err != nil {
		s.Log.Warn("commit was not searched for agents' lines", "commit", cm.OID.Short(), "err", err)
	}
	var ids []id.SessionID
	for _, sum := range sums {
		if step.HasPendingWork(sum) && sum.BaseCommit == base.String() {
			ids = append(ids, sum.ID)
		}
	}
	if len(ids) == 0 {
		return dropIdleSteps(ctx, s, cm, base, sums)
	}
	open, err := OpenAll(ctx, s, involvedSessions(ids, nil))
	if err != nil {
		return err
	}
	defer CloseAll(open)
	return followUnlinkedWith(ctx, s, cm, base, open, sums)
}

// followUnlinkedWith is FollowUnlinked for the sessions that have steps on base.
func followUnlinkedWith(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, base git.OID, open []*sessionstate.LockedSession, sums []session.Summary) error {
	tip, exists, err := s.Repo.Reader(ctx).CommitOf(worktree.ShadowRef(s, base))
	if err != nil {
		return err
	}
	var remain sessionstate.PathVersions
	var reverted evidence.RevertedPaths
	if exists {
		step, err := evidence.StepFiles(ctx, s, base, tip.OID)
		if err != nil {
			return err
		}
		if remain, reverted, err = uncommittedPart(ctx, s, cm, base, tip, step, open); err != nil {
			return err
		}
		remain = addStashed(ctx, s, cm, remain, map[git.OID]sessionstate.PathVersions{base: step}, open)
	}
	snap := &worktree.Snapshot{Head: cm.OID}
	keep, taken, err := dropTaken(ctx, s, cm, open, remain, reverted, snap)
	if err != nil {
		return err
	}
	var errs []error
	if len(taken) > 0 {
		errs = append(errs, recordUnlinkedOwners(ctx, s, cm, open, sums, taken))
	}
	ours := false
	for _, o := range open {
		evidence.NoteUndecided(s, o, cm, tip.OID)
		if exists && !ours {
			if ours, err = ownsBranch(ctx, s, o, tip); err != nil {
				return err
			}
		}
		if keep {
			errs = append(errs, followHeadTo(ctx, s, o, snap, false))
		} else {
			o.State.BaseCommit, o.Engine.LastStep = cm.OID.String(), git.OID{}
		}
		errs = append(errs, s.SaveSession(ctx, o))
	}
	if !keep && ours {
		errs = append(errs, githead.DropShadowBranch(ctx, s, cm, worktree.ShadowRef(s, base), tip.OID))
	}
	return errors.Join(errs...)
}

// dropTaken removes from the sessions' files what the commit holds and what is no longer there. taken counts, by
// session, what the commit holds; keep is true if a session has work left or is in a turn.
func dropTaken(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, open []*sessionstate.LockedSession, remain sessionstate.PathVersions, reverted evidence.RevertedPaths, snap *worktree.Snapshot) (keep bool, taken map[id.SessionID]int, err error) {
	taken = map[id.SessionID]int{}
	for _, o := range open {
		evidence.NoteUnhooked(ctx, s, o, cm.Parent, cm.OID)
		if n := dropCommitted(o, cm, remain, reverted); n > 0 {
			taken[o.ID] = n
		}
		if err := dropAbsent(ctx, s, o, remain, snap); err != nil {
			return false, nil, err
		}
		keep = keep || len(o.State.FilesTouched) > 0 || o.State.Phase == session.PhaseActive
	}
	return keep, taken, nil
}

// dropCommitted removes the paths that a commit without a link holds from the session's files
// and returns their number.
func dropCommitted(o *sessionstate.LockedSession, cm githead.MadeCommit, remain sessionstate.PathVersions, reverted evidence.RevertedPaths) int {
	taken := fullyCommitted(cm, remain)
	before := len(o.State.FilesTouched)
	o.State.FilesTouched = slices.DeleteFunc(o.State.FilesTouched, func(p string) bool { return taken[sessionstate.DecodePath(p)] || reverted.OnlyByOthers(o, p) })
	return before - len(o.State.FilesTouched)
}

// recordUnlinkedOwners records the commit in the sessions whose work is in it. Other sessions have lost
// their work to something else and have nothing left to link.
func recordUnlinkedOwners(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, open []*sessionstate.LockedSession, sums []session.Summary, taken map[id.SessionID]int) error {
	owners, err := evidence.SessionsInCommit(ctx, s, sums, cm.Changes, Strictness(cm), nil)
	if err != nil {
		return err
	}
	for _, o := range open {
		if taken[o.ID] > 0 && slices.Contains(owners, o.ID) {
			evidence.RecordUnlinked(s, o, sessionstate.UnlinkedCommit{Commit: cm.OID, Files: taken[o.ID]})
		}
	}
	return nil
}

// dropIdleSteps removes a branch on which no session has pending work: people's changes are in
// the worktree or committed. HEAD may have moved elsewhere, e.g. by a rebase. It removes only
// the exact tip that the cache records.
func dropIdleSteps(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, base git.OID, sums []session.Summary) error {
	c := worktree.LoadCache(ctx, s)
	if c.Tip.IsZero() || c.Ref == "" {
		return nil
	}
	on := func(sum session.Summary) bool { return step.HasPendingWork(sum) && sum.BaseCommit == c.Head.String() }
	if c.Head != base && slices.ContainsFunc(sums, on) {
		return nil
	}
	return githead.DropShadowBranch(ctx, s, cm, c.Ref, c.Tip)
}
