package strategy

import (
	"context"
	"errors"
	"slices"

	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// unlinked moves the steps on the commit's parent, or on the commit that it replaces, to the
// commit. Work in a commit without a link is no longer pending; status reports it.
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
	var reverted takenBack
	if exists {
		step, err := s.stepFiles(ctx, base, tip.OID)
		if err != nil {
			return err
		}
		if remain, reverted, err = s.remaining(ctx, cm, base, tip, step, open); err != nil {
			return err
		}
	}
	var errs []error
	keep, taken, snap := false, map[id.SessionID]int{}, &snapshot{head: cm.OID}
	for _, o := range open {
		s.noteUnseen(ctx, o, cm.parent, cm.OID)
		if n := dropCommitted(o, cm, remain, reverted); n > 0 {
			taken[o.id] = n
		}
		if err := s.dropGone(ctx, o, cm, remain, snap); err != nil {
			return err
		}
		keep = keep || len(o.state.FilesTouched) > 0 || o.state.Phase == session.PhaseActive
	}
	if len(taken) > 0 {
		errs = append(errs, s.noteTaken(ctx, cm, open, sums, taken))
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

// dropCommitted removes the paths that a commit without a link holds from the session's files
// and returns their number.
func dropCommitted(o *open, cm madeCommit, remain fileStates, reverted takenBack) int {
	taken := cm.settles(remain)
	before := len(o.state.FilesTouched)
	o.state.FilesTouched = slices.DeleteFunc(o.state.FilesTouched, func(p string) bool { return taken[textPath(p)] || reverted.notBy(o, p) })
	return before - len(o.state.FilesTouched)
}

// noteTaken records the commit in the sessions whose work is in it. Other sessions have lost
// their work to something else and have nothing left to link.
func (s *ManualCommitStrategy) noteTaken(ctx context.Context, cm madeCommit, open []*open, sums []session.Summary, taken map[id.SessionID]int) error {
	owners, err := s.choose(ctx, sums, cm.changes, cm.strict(), nil)
	if err != nil {
		return err
	}
	for _, o := range open {
		if taken[o.id] > 0 && slices.Contains(owners, o.id) {
			s.noteUnlinked(o, cm.OID, taken[o.id])
		}
	}
	return nil
}

// noteUnlinked records, for status, a commit that holds work without a link.
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

// unlinkedCommit is a commit that holds a session's work but has no trailer.
type unlinkedCommit struct {
	Commit git.OID `json:"commit"`
	Files  int     `json:"files"`
}

// dropIdleSteps removes a branch on which no session has pending work: people's changes are in
// the worktree or committed. HEAD may have moved elsewhere, e.g. by a rebase. It removes only
// the exact tip that the cache records.
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
