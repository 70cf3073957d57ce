package maintain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// ResetPlan is what a reset clears. It never includes files in the worktree.
type ResetPlan struct {
	Sessions []*session.State // sessions whose state is cleared
	Branch   string           // short name of the shadow branch, whether it exists or not
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
func PlanReset(ctx context.Context, s *sessionstate.Env) (*ResetPlan, error) {
	head, _, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return nil, err
	}
	states, _, err := s.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	plan := &ResetPlan{Branch: step.ShortBranch(worktree.ShadowRef(s, head.OID))}
	for _, st := range states {
		if st.BaseCommit == head.OID.String() && s.InThisWorktree(st.WorktreePath, st.WorktreeID) {
			plan.Sessions = append(plan.Sessions, st)
		}
	}
	return plan, nil
}

// PlanResetSession plans a reset of one session in any worktree. It returns [session.ErrNotFound]
// for an unknown one.
func PlanResetSession(ctx context.Context, s *sessionstate.Env, sid id.SessionID) (*ResetPlan, error) {
	st, err := s.Store.Load(ctx, sid)
	if err != nil {
		return nil, err
	}
	return &ResetPlan{Sessions: []*session.State{st}, Branch: step.ShortBranch(sessionShadowRef(st))}, nil
}

// sessionShadowRef returns the shadow branch that holds a session's steps.
func sessionShadowRef(st *session.State) string {
	return shadowRefOf(st.BaseCommit, st.WorktreeID)
}

func shadowRefOf(base, worktreeID string) string {
	if base == "" { // an unborn branch has no commit to name the shadow branch after
		base = strings.Repeat("0", shadow.HashLength)
	}
	return shadow.Ref(base, worktreeID)
}

// otherSessionsOn returns the sessions, except those in except, that need a shadow branch.
func otherSessionsOn(ctx context.Context, s *sessionstate.Env, ref string, except []id.SessionID) ([]id.SessionID, error) {
	sums, err := s.Store.Summaries(ctx)
	if err != nil {
		return nil, err
	}
	var out []id.SessionID
	for _, sum := range sums {
		if shadowRefOf(sum.BaseCommit, sum.WorktreeID) == ref && !slices.Contains(except, sum.ID) &&
			(sum.CheckpointCount > 0 && !s.Auto || step.HasPendingWork(sum)) {
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
func Reset(ctx context.Context, s *sessionstate.Env, plan *ResetPlan) (*ResetOutcome, error) {
	var ids []id.SessionID
	for _, st := range plan.Sessions {
		ids = append(ids, st.SessionID)
	}
	open, err := condense.OpenAll(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	defer condense.CloseAll(open)
	out := &ResetOutcome{}
	for try := 0; ; try++ {
		err := setAside(ctx, s, "refs/heads/"+plan.Branch, ids, out)
		if err == nil {
			break
		}
		if !errors.Is(err, git.ErrRefMoved) || try >= resetTries {
			return nil, fmt.Errorf("set the steps aside: %w", err)
		}
	}
	for _, o := range open {
		if err := s.Store.Remove(ctx, o.ID); err != nil {
			return out, err
		}
		if err := o.Lock.Discard(); err != nil {
			s.Log.Warn("lock file left", "session_id", o.ID.String(), "err", err)
		}
		out.Cleared = append(out.Cleared, o.ID)
		s.Log.Info("session reset", "session_id", o.ID.String(), "set_aside", out.SetAside)
	}
	return out, nil
}

// setAside moves the steps of a shadow branch to a ref below refs/entire/orphans/.
func setAside(ctx context.Context, s *sessionstate.Env, ref string, reset []id.SessionID, out *ResetOutcome) error {
	*out = ResetOutcome{}
	tip, exists, err := s.Repo.Ref(ctx, ref)
	if err != nil || !exists {
		return err
	}
	others, err := otherSessionsOn(ctx, s, ref, reset)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		out.Kept = fmt.Sprintf("%s has steps on it", others[0].Short())
		return nil
	}
	recorded, err := recordedSteps(ctx, s)
	if err != nil {
		return err
	}
	if why, err := whyNotOurs(ctx, s, tip, recorded); err != nil || why != "" {
		out.Kept = why
		return err
	}
	aside := condense.OrphanRef(ref, tip)
	updates := []git.RefUpdate{{Name: ref, Old: tip}}
	switch now, taken, err := s.Repo.Ref(ctx, aside); {
	case err != nil:
		return err
	case !taken:
		updates = append(updates, git.RefUpdate{Name: aside, New: tip})
	case now != tip: // another tip with the same short ID: both stay
		aside += "-" + tip.String()
		updates = append(updates, git.RefUpdate{Name: aside, New: tip})
	}
	if err := s.Repo.UpdateRefs(ctx, updates); err != nil {
		return err
	}
	*out = ResetOutcome{Deleted: true, Tip: tip, SetAside: aside}
	return nil
}

// whyNotOurs returns why a branch is not certainly ours, "" if it is. It is ours if every commit on it
// is a step, the first has no parent, and either we recorded its tip or made each step. A name
// proves nothing, and neither does one commit.
func whyNotOurs(ctx context.Context, s *sessionstate.Env, tip git.OID, recorded map[git.OID]bool) (why string, err error) {
	steps, err := s.Repo.Log(ctx, tip.String(), step.StepsScanned)
	if err != nil {
		return "", err
	}
	for _, c := range steps {
		if shadow.ParseStep(c.Message).Kind == "" {
			return fmt.Sprintf("%s on it is no step of a session", c.OID.Short()), nil
		}
		if !recorded[tip] && !shadow.IsOwnStep(c.Message) {
			return fmt.Sprintf("%s on it is a step of another version of Entire", c.OID.Short()), nil
		}
	}
	if len(steps) == 0 || len(steps) == step.StepsScanned {
		return "its first step could not be found", nil
	}
	return "", nil
}
