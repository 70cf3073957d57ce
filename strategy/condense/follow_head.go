package condense

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// FollowHead moves the session's base to HEAD, which a pull, a switch, a rebase or a commit without
// hooks has moved, and renames its shadow branch. It never overwrites steps of another session:
// where the new name is taken, it sets the session's steps aside under refs/entire/orphans.
func FollowHead(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) error {
	return followHeadTo(ctx, s, o, snap, evidence.NoteUnhooked(ctx, s, o, snap.Head, git.OID{}))
}

// followHeadTo does the work of FollowHead after the commits in between were searched; noted states that
// work of the session was found in them.
func followHeadTo(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot, noted bool) error {
	base, err := worktree.ParseOptional([]byte(o.State.BaseCommit))
	if err != nil {
		base = git.OID{} // the base is invalid, so there is nothing to follow
	}
	if base == snap.Head {
		return nil
	}
	if err := moveShadowBranch(ctx, s, o, base, snap.Head); err != nil {
		return fmt.Errorf("follow HEAD to %s: %w", snap.Head.Short(), err)
	}
	o.State.BaseCommit = snap.Head.String()
	if o.State.AttributionBaseCommit == "" {
		o.State.AttributionBaseCommit = o.State.BaseCommit
	}
	return forgetCommitted(ctx, s, o, base, snap, noted)
}

// forgetCommitted forgets the files that HEAD already holds: commits made without our hooks took them,
// which `entire status` reports. The files also match if HEAD went back to an earlier commit.
func forgetCommitted(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, from git.OID, snap *worktree.Snapshot, noted bool) error {
	to := snap.Head
	pending, taken, err := CommittedBetween(ctx, s, o, from, to, snap.Staged)
	if err != nil {
		return err
	}
	o.State.FilesTouched = pending
	if taken > 0 && !noted {
		evidence.RecordUnlinked(s, o, sessionstate.UnlinkedCommit{Commit: to, Files: taken})
	}
	return nil
}

// headWentBack reports whether commit to is one of the latest ancestors of from: then HEAD went back to
// it, and no commit took work.
func headWentBack(ctx context.Context, s *sessionstate.Env, from, to git.OID) (bool, error) {
	objs, err := s.Repo.Reader(ctx).Objects(githead.AncestorSpecs(from.String(), evidence.MaxHistory)...)
	return slices.ContainsFunc(objs, func(o git.Object) bool { return o.OID == to }), err
}

// CommittedBetween splits the files that the session touched: pending still differ from commit to;
// taken counts those that differed from commit from only, 0 if HEAD went back.
func CommittedBetween(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, from, to git.OID, staged map[string]bool) (pending []string, taken int, err error) {
	pending = o.State.FilesTouched
	if len(pending) == 0 || o.Engine.LastStep.IsZero() {
		return pending, 0, nil
	}
	tip, ok, err := s.Repo.Reader(ctx).CommitOf(o.Engine.LastStep.String())
	if err != nil || !ok {
		return pending, 0, err
	}
	made, err := evidence.ChangesOnTop(ctx, s, from, tip.Tree)
	if err != nil {
		return pending, 0, err
	}
	remain, err := evidence.ChangesOnTop(ctx, s, to, tip.Tree)
	if err != nil {
		return pending, 0, err
	}
	ev, w := evidence.Evidence(ctx, s), transcript.SessionWork{Session: o.ID.String(), Base: to}
	if len(ev.StepsOn(to)) == 0 { // the steps are still on the old base
		w.Base = from
	}
	pending = slices.DeleteFunc(slices.Clone(pending), func(p string) bool {
		_, left := worktree.Find(remain, sessionstate.DecodePath(p))
		_, was := worktree.Find(made, sessionstate.DecodePath(p))
		switch {
		case left:
			return false
		case was:
			taken++
			return true
		case staged[sessionstate.DecodePath(p)]:
			return false
		}
		_, stashed := ev.StashedWork(w, sessionstate.DecodePath(p), git.OID{}) // the file matches both commits, but a stash may bring it back
		return !stashed
	})
	if taken > 0 {
		var back bool
		if back, err = headWentBack(ctx, s, from, to); back {
			taken = 0
		}
	}
	return pending, taken, err
}

// moveShadowBranch renames the shadow branch of one base to that of another.
func moveShadowBranch(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, from, to git.OID) error {
	oldRef, newRef := worktree.ShadowRef(s, from), worktree.ShadowRef(s, to)
	if oldRef == newRef {
		return nil
	}
	tip, exists, err := s.Repo.Reader(ctx).CommitOf(oldRef)
	if err != nil || !exists {
		return err
	}
	if ours, err := ownsBranch(ctx, s, o, tip); err != nil || !ours {
		return err
	}
	taken, exists, err := s.Repo.Reader(ctx).CommitOf(newRef)
	if err != nil {
		return err
	}
	dest := git.RefUpdate{Name: newRef, New: tip.OID}
	if exists {
		if below, err := IsAncestor(ctx, s, tip.OID, taken); err != nil || below {
			return err
		}
		dest.Name = OrphanRef(oldRef, tip.OID)
		s.Log.Warn("steps set aside: another session has steps on this base", "ref", dest.Name, "session_id", o.ID.String())
	}
	err = s.Repo.UpdateRefs(ctx, []git.RefUpdate{dest, {Name: oldRef, Old: tip.OID}})
	// No ref in packed-refs can be deleted. A commit that waits for its checkpoint needs its steps where they are.
	if err != nil && !errors.Is(err, git.ErrRefMoved) && s.Repo.PackedLockLeft() && !githead.HasChoice(s) {
		err = s.Repo.UpdateRefs(ctx, []git.RefUpdate{dest})
	}
	if errors.Is(err, git.ErrRefMoved) {
		return nil // another session moved the same steps at the same moment
	}
	if err == nil {
		if dest.Name == newRef {
			s.PendingMoves = append(s.PendingMoves, sessionstate.HeadMove{From: from, To: to, Session: o.ID})
		}
		s.Log.Info("steps moved", "from", oldRef, "to", dest.Name)
	}
	return err
}

// OrphanRef returns the ref under which the steps of a shadow branch up to tip are set aside.
func OrphanRef(ref string, tip git.OID) string {
	const heads = "refs/heads/entire/"
	return "refs/entire/orphans/" + ref[len(heads):] + "-" + tip.Short()
}

// ownsBranch reports whether the branch has a step that this session recorded. The branch's name alone
// proves nothing.
func ownsBranch(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, tip git.Commit) (bool, error) {
	for _, recorded := range []git.OID{o.Engine.LastStep, o.Engine.TurnStart.Step} {
		if recorded.IsZero() {
			continue
		}
		if below, err := IsAncestor(ctx, s, recorded, tip); err != nil || below {
			return below, err
		}
	}
	return false, nil
}

// IsAncestor reports whether commit is tip or one of its first-parent ancestors, up to AncestorsMax.
func IsAncestor(ctx context.Context, s *sessionstate.Env, commit git.OID, tip git.Commit) (bool, error) {
	for c, err := range step.Ancestors(ctx, s, tip, step.AncestorsMax) {
		if err != nil || c.OID == commit {
			return err == nil, err
		}
	}
	return false, nil
}
