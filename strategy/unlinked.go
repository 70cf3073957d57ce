package strategy

import (
	"context"
	"errors"
	"slices"

	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// unlinked lets the steps on the commit's parent, or on the commit that it
// replaces, follow it. Work that the
// commit took without a link is no longer pending; status tells of it.
func (s *ManualCommitStrategy) unlinked(ctx context.Context, cm madeCommit, sums []session.Summary) error {
	base := cm.parent
	if was := s.replaced(cm); !was.IsZero() {
		base = was
	}
	if err := s.noteBorrowed(ctx, cm, base, sums); err != nil {
		s.Log.Warn("commit was not searched for agents' lines", "commit", cm.OID.Short(), "err", err)
	}
	var ids []id.SessionID
	for _, sum := range sums {
		if pending(sum) && sum.BaseCommit == base.String() {
			ids = append(ids, sum.ID)
		}
	}
	if len(ids) == 0 {
		return s.dropIdleSteps(ctx, cm, base, sums)
	}
	open, err := s.openAll(ctx, involved(ids, nil))
	if err != nil {
		return err
	}
	defer closeAll(open)
	tip, exists, err := s.repo.Reader(ctx).CommitOf(s.shadowRef(base))
	if err != nil {
		return err
	}
	var remain fileStates
	var back takenBack
	if exists {
		step, err := s.stepFiles(ctx, base, tip.OID)
		if err != nil {
			return err
		}
		if remain, back, err = s.remaining(ctx, cm, base, tip, step, open); err != nil {
			return err
		}
	}
	var errs []error
	keep, took, snap := false, map[id.SessionID]int{}, &snapshot{head: cm.OID}
	for _, o := range open {
		s.noteUnseen(ctx, o, cm.parent, cm.OID)
		if n := dropCommitted(o, cm, remain, back); n > 0 {
			took[o.id] = n
		}
		if err := s.dropGone(ctx, o, cm, remain, snap); err != nil {
			return err
		}
		keep = keep || len(o.state.FilesTouched) > 0 || o.state.Phase == session.PhaseActive
	}
	if len(took) > 0 {
		errs = append(errs, s.noteTaken(ctx, cm, open, sums, took))
	}
	ours := false
	for _, o := range open {
		if exists && !ours {
			if ours, err = s.isOurs(ctx, o, tip); err != nil {
				return err
			}
		}
		if keep {
			errs = append(errs, s.moveTo(ctx, o, snap, false))
		} else {
			o.state.BaseCommit, o.side.Tip = cm.OID.String(), git.OID{}
		}
		errs = append(errs, s.save(ctx, o))
	}
	if !keep && ours {
		errs = append(errs, s.dropSteps(ctx, cm, s.shadowRef(base), tip.OID))
	}
	return errors.Join(errs...)
}

// dropCommitted forgets the paths that a commit took without linking them, and
// returns how many those were.
func dropCommitted(o *open, cm madeCommit, remain fileStates, back takenBack) int {
	took := cm.settles(remain)
	before := len(o.state.FilesTouched)
	o.state.FilesTouched = slices.DeleteFunc(o.state.FilesTouched, func(p string) bool { return took[textPath(p)] || back.notBy(o, p) })
	return before - len(o.state.FilesTouched)
}

// noteTaken remembers the commit for the sessions whose work is in it. Others
// have lost theirs to something else: nothing of it is left to be linked.
func (s *ManualCommitStrategy) noteTaken(ctx context.Context, cm madeCommit, open []*open, sums []session.Summary, took map[id.SessionID]int) error {
	owners, err := s.choose(ctx, sums, cm.changes, cm.strict(), nil)
	if err != nil {
		return err
	}
	for _, o := range open {
		if took[o.id] > 0 && slices.Contains(owners, o.id) {
			s.noteUnlinked(o, cm.OID, took[o.id])
		}
	}
	return nil
}

// noteUnlinked remembers, for status, a commit that took work without a link.
func (s *ManualCommitStrategy) noteUnlinked(o *open, commit git.OID, files int) {
	known := func(u unlinkedCommit) bool { return u.Commit == commit }
	if i := slices.IndexFunc(o.side.Unlinked, known); i >= 0 {
		o.side.Unlinked[i].Files = files
		return
	}
	o.side.Unlinked = append(o.side.Unlinked, unlinkedCommit{Commit: commit, Files: files})
	if n := len(o.side.Unlinked); n > unseenMax {
		o.side.Unlinked = o.side.Unlinked[n-unseenMax:]
	}
	s.Log.Warn("commit holds agent work but has no checkpoint trailer", "commit", commit.Short(), "session_id", o.id.String())
}

// unlinkedCommit is a commit that took a session's work without a trailer.
type unlinkedCommit struct {
	Commit git.OID `json:"commit"`
	Files  int     `json:"files"`
}

// dropIdleSteps removes a branch on which no session has pending work: what
// people changed is in the worktree or committed. HEAD may have moved away from it,
// by a rebase say. Only the very commit we recorded is removed.
func (s *ManualCommitStrategy) dropIdleSteps(ctx context.Context, cm madeCommit, base git.OID, sums []session.Summary) error {
	c := s.loadCache()
	if c.tip.IsZero() || c.ref == "" {
		return nil
	}
	on := func(sum session.Summary) bool { return pending(sum) && sum.BaseCommit == c.head.String() }
	if c.head != base && slices.ContainsFunc(sums, on) {
		return nil
	}
	return s.dropSteps(ctx, cm, c.ref, c.tip)
}
