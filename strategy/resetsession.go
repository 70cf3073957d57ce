package strategy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// ResetPlan is what a reset clears. It never includes files in the worktree.
type ResetPlan struct {
	Sessions []*session.State // sessions whose state is cleared
	Branch   string           // short name of the shadow branch, whether it exists or not
	Shared   []id.SessionID   // other sessions with steps on the branch, which therefore stays
}

// Active returns the sessions of the plan that are in mid-turn.
func (p *ResetPlan) Active() []*session.State {
	var out []*session.State
	for _, st := range p.Sessions {
		if st.Phase == session.PhaseActive {
			out = append(out, st)
		}
	}
	return out
}

// ResetOutcome is what a reset did.
type ResetOutcome struct {
	Cleared  []id.SessionID
	Deleted  bool    // the shadow branch was deleted
	Tip      git.OID // its last step
	SetAside string  // the ref that keeps its steps
	Kept     string  // why a branch that exists was kept; "" if none was
}

// PlanReset plans a reset of all sessions based on this worktree's HEAD.
func (s *ManualCommitStrategy) PlanReset(ctx context.Context) (*ResetPlan, error) {
	head, _, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return nil, err
	}
	states, _, err := s.store.List(ctx)
	if err != nil {
		return nil, err
	}
	plan := &ResetPlan{Branch: shortRef(s.shadowRef(head.OID))}
	for _, st := range states {
		if st.BaseCommit == head.OID.String() && s.mine(st.WorktreePath, st.WorktreeID) {
			plan.Sessions = append(plan.Sessions, st)
		}
	}
	return plan, nil
}

// PlanResetSession plans a reset of one session in any worktree. It returns [session.ErrNotFound]
// for an unknown one.
func (s *ManualCommitStrategy) PlanResetSession(ctx context.Context, sid id.SessionID) (*ResetPlan, error) {
	st, err := s.store.Load(ctx, sid)
	if err != nil {
		return nil, err
	}
	plan := &ResetPlan{Sessions: []*session.State{st}, Branch: shortRef(refOf(st))}
	plan.Shared, err = s.othersOn(ctx, refOf(st), []id.SessionID{sid})
	return plan, err
}

// refOf returns the shadow branch that holds a session's steps.
func refOf(st *session.State) string {
	return shadowRefOf(st.BaseCommit, st.WorktreeID)
}

func shadowRefOf(base, worktreeID string) string {
	if base == "" { // an unborn branch has no commit to name the shadow branch after
		base = strings.Repeat("0", checkpoint.ShadowBranchHashLength)
	}
	return checkpoint.ShadowRef(base, worktreeID)
}

func shortRef(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// othersOn returns the sessions, except those in except, that need a shadow branch.
func (s *ManualCommitStrategy) othersOn(ctx context.Context, ref string, except []id.SessionID) ([]id.SessionID, error) {
	sums, err := s.store.Summaries(ctx)
	if err != nil {
		return nil, err
	}
	var out []id.SessionID
	for _, sum := range sums {
		if shadowRefOf(sum.BaseCommit, sum.WorktreeID) == ref && !slices.Contains(except, sum.ID) &&
			(sum.CheckpointCount > 0 && !s.auto || pending(sum)) {
			out = append(out, sum.ID)
		}
	}
	return out, nil
}

// resetTries bounds how often a reset is tried again if its branch moves meanwhile.
const resetTries = 20

// Reset carries a plan out. It sets the steps aside before it clears any state, so that a rewind
// can restore their files until they are cleaned up. It deletes a branch only if every commit on it
// is a step and its tip is the one that was checked.
func (s *ManualCommitStrategy) Reset(ctx context.Context, plan *ResetPlan) (*ResetOutcome, error) {
	var ids []id.SessionID
	for _, st := range plan.Sessions {
		ids = append(ids, st.SessionID)
	}
	open, err := s.openAll(ctx, ids)
	if err != nil {
		return nil, err
	}
	defer closeAll(open)
	out := &ResetOutcome{}
	for try := 0; ; try++ {
		err := s.setAside(ctx, "refs/heads/"+plan.Branch, ids, out)
		if err == nil {
			break
		}
		if !errors.Is(err, git.ErrRefMoved) || try >= resetTries {
			return nil, fmt.Errorf("set the steps aside: %w", err)
		}
	}
	for _, o := range open {
		if err := s.store.Remove(ctx, o.id); err != nil {
			return out, err
		}
		if err := o.lock.Discard(); err != nil {
			s.Log.Warn("lock file left", "session_id", o.id.String(), "err", err)
		}
		out.Cleared = append(out.Cleared, o.id)
		s.Log.Info("session reset", "session_id", o.id.String(), "set_aside", out.SetAside)
	}
	return out, nil
}

// setAside moves the steps of a shadow branch to a ref below refs/entire/orphans/.
func (s *ManualCommitStrategy) setAside(ctx context.Context, ref string, reset []id.SessionID, out *ResetOutcome) error {
	*out = ResetOutcome{}
	tip, exists, err := s.repo.Ref(ctx, ref)
	if err != nil || !exists {
		return err
	}
	others, err := s.othersOn(ctx, ref, reset)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		out.Kept = fmt.Sprintf("%s has steps on it", others[0].Short())
		return nil
	}
	recorded, err := s.recorded(ctx)
	if err != nil {
		return err
	}
	if why, err := s.notOurs(ctx, tip, recorded); err != nil || why != "" {
		out.Kept = why
		return err
	}
	aside := orphanRef(ref, tip)
	updates := []git.RefUpdate{{Name: ref, Old: tip}}
	switch now, taken, err := s.repo.Ref(ctx, aside); {
	case err != nil:
		return err
	case !taken:
		updates = append(updates, git.RefUpdate{Name: aside, New: tip})
	case now != tip: // another tip with the same short ID: both stay
		aside += "-" + tip.String()
		updates = append(updates, git.RefUpdate{Name: aside, New: tip})
	}
	if err := s.repo.UpdateRefs(ctx, updates); err != nil {
		return err
	}
	*out = ResetOutcome{Deleted: true, Tip: tip, SetAside: aside}
	return nil
}

// notOurs returns why a branch is not certainly ours, "" if it is. It is ours if every commit on it
// is a step, the first has no parent, and either we recorded its tip or made each step. A name
// proves nothing, and neither does one commit.
func (s *ManualCommitStrategy) notOurs(ctx context.Context, tip git.OID, recorded map[git.OID]bool) (why string, err error) {
	steps, err := s.repo.Log(ctx, tip.String(), stepsScanned)
	if err != nil {
		return "", err
	}
	for _, c := range steps {
		if checkpoint.ParseStep(c.Message).Kind == "" {
			return fmt.Sprintf("%s on it is no step of a session", c.OID.Short()), nil
		}
		if !recorded[tip] && !checkpoint.OwnStep(c.Message) {
			return fmt.Sprintf("%s on it is a step of another version of Entire", c.OID.Short()), nil
		}
	}
	if len(steps) == 0 || len(steps) == stepsScanned {
		return "its first step could not be found", nil
	}
	return "", nil
}
