package strategy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/internal/git"
)

// ancestorsMax bounds how many steps below a branch's tip are searched for a recorded step.
const ancestorsMax = 5000

// followHead moves the session's base to HEAD, which a pull, a switch, a rebase or a commit without
// hooks has moved, and renames its shadow branch. It never overwrites steps of another session:
// where the new name is taken, it sets the session's steps aside under refs/entire/orphans.
func (s *ManualCommitStrategy) followHead(ctx context.Context, o *open, snap *snapshot) error {
	return s.moveTo(ctx, o, snap, s.noteUnseen(ctx, o, snap.head, git.OID{}))
}

// moveTo does the work of followHead after the commits in between were searched; noted states that
// work of the session was found in them.
func (s *ManualCommitStrategy) moveTo(ctx context.Context, o *open, snap *snapshot, noted bool) error {
	base, err := parseOptional([]byte(o.state.BaseCommit))
	if err != nil {
		base = git.OID{} // the base is invalid, so there is nothing to follow
	}
	if base == snap.head {
		return nil
	}
	if err := s.moveSteps(ctx, o, base, snap.head); err != nil {
		return fmt.Errorf("follow HEAD to %s: %w", snap.head.Short(), err)
	}
	o.state.BaseCommit = snap.head.String()
	if o.state.AttributionBaseCommit == "" {
		o.state.AttributionBaseCommit = o.state.BaseCommit
	}
	return s.dropTaken(ctx, o, base, snap, noted)
}

// dropTaken forgets the files that HEAD already holds: commits made without our hooks took them,
// which `entire status` reports. The files also match if HEAD went back to an earlier commit.
func (s *ManualCommitStrategy) dropTaken(ctx context.Context, o *open, from git.OID, snap *snapshot, noted bool) error {
	to := snap.head
	pending, taken, err := s.takenBetween(ctx, o, from, to, snap.staged)
	if err != nil {
		return err
	}
	o.state.FilesTouched = pending
	if taken > 0 && !noted {
		s.noteUnlinked(o, to, taken)
	}
	return nil
}

// wentBack reports whether commit to is one of the latest ancestors of from: then HEAD went back to
// it, and no commit took work.
func (s *ManualCommitStrategy) wentBack(ctx context.Context, from, to git.OID) (bool, error) {
	objs, err := s.repo.Reader(ctx).Objects(ancestors(from.String(), keptMax)...)
	return slices.ContainsFunc(objs, func(o git.Object) bool { return o.OID == to }), err
}

// takenBetween splits the files that the session touched: pending still differ from commit to;
// taken counts those that differed from commit from only, 0 if HEAD went back.
func (s *ManualCommitStrategy) takenBetween(ctx context.Context, o *open, from, to git.OID, staged map[string]bool) (pending []string, taken int, err error) {
	pending = o.state.FilesTouched
	if len(pending) == 0 || o.side.Tip.IsZero() {
		return pending, 0, nil
	}
	tip, ok, err := s.repo.Reader(ctx).CommitOf(o.side.Tip.String())
	if err != nil || !ok {
		return pending, 0, err
	}
	made, err := s.above(ctx, from, tip.Tree)
	if err != nil {
		return pending, 0, err
	}
	remain, err := s.above(ctx, to, tip.Tree)
	if err != nil {
		return pending, 0, err
	}
	ev, w := s.evidence(ctx), work{session: o.id.String(), base: to}
	if len(ev.chain(to)) == 0 { // the steps are still on the old base
		w.base = from
	}
	pending = slices.DeleteFunc(slices.Clone(pending), func(p string) bool {
		_, left := remain.find(textPath(p))
		_, was := made.find(textPath(p))
		switch {
		case left:
			return false
		case was:
			taken++
			return true
		case staged[textPath(p)]:
			return false
		}
		_, stashed := ev.stashedWork(w, textPath(p)) // the file matches both commits, but a stash may bring it back
		return !stashed
	})
	if taken > 0 {
		var back bool
		if back, err = s.wentBack(ctx, from, to); back {
			taken = 0
		}
	}
	return pending, taken, err
}

// above returns how a tree differs from a commit's tree; nothing if the commit is gone.
func (s *ManualCommitStrategy) above(ctx context.Context, commit, tree git.OID) (fileStates, error) {
	base, err := s.headTree(ctx, commit)
	if errors.Is(err, git.ErrMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.treeFiles(ctx, base, tree)
}

// moveSteps renames the shadow branch of one base to that of another.
func (s *ManualCommitStrategy) moveSteps(ctx context.Context, o *open, from, to git.OID) error {
	oldRef, newRef := s.shadowRef(from), s.shadowRef(to)
	if oldRef == newRef {
		return nil
	}
	tip, exists, err := s.repo.Reader(ctx).CommitOf(oldRef)
	if err != nil || !exists {
		return err
	}
	if ours, err := s.isOurs(ctx, o, tip); err != nil || !ours {
		return err
	}
	taken, exists, err := s.repo.Reader(ctx).CommitOf(newRef)
	if err != nil {
		return err
	}
	dest := git.RefUpdate{Name: newRef, New: tip.OID}
	if exists {
		if below, err := s.isBelow(ctx, tip.OID, taken); err != nil || below {
			return err
		}
		dest.Name = orphanRef(oldRef, tip.OID)
		s.Log.Warn("steps set aside: another session has steps on this base", "ref", dest.Name, "session_id", o.id.String())
	}
	err = s.repo.UpdateRefs(ctx, []git.RefUpdate{dest, {Name: oldRef, Old: tip.OID}})
	if errors.Is(err, git.ErrRefMoved) {
		return nil // another session moved the same steps at the same moment
	}
	if err == nil {
		if dest.Name == newRef {
			s.moves = append(s.moves, headMove{from, to, o.id})
		}
		s.Log.Info("steps moved", "from", oldRef, "to", dest.Name)
	}
	return err
}

func orphanRef(ref string, tip git.OID) string {
	const heads = "refs/heads/entire/"
	return "refs/entire/orphans/" + ref[len(heads):] + "-" + tip.Short()
}

// isOurs reports whether the branch has a step that this session recorded. The branch's name alone
// proves nothing.
func (s *ManualCommitStrategy) isOurs(ctx context.Context, o *open, tip git.Commit) (bool, error) {
	for _, recorded := range []git.OID{o.side.Tip, o.side.Turn.Step} {
		if recorded.IsZero() {
			continue
		}
		if below, err := s.isBelow(ctx, recorded, tip); err != nil || below {
			return below, err
		}
	}
	return false, nil
}

// isBelow reports whether commit is tip or one of its first-parent ancestors, up to ancestorsMax.
func (s *ManualCommitStrategy) isBelow(ctx context.Context, commit git.OID, tip git.Commit) (bool, error) {
	for i := 0; i < ancestorsMax; i++ {
		if tip.OID == commit {
			return true, nil
		}
		if len(tip.Parents) == 0 {
			return false, nil
		}
		var err error
		if tip, err = s.repo.Reader(ctx).Commit(tip.Parents[0]); err != nil {
			return false, err
		}
	}
	return false, nil
}
