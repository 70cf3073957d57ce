package maintain

import (
	"context"
	"errors"
	"strings"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/handoff"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// examineTeleports reports the expired bundles.
func examineTeleports(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	plan := &handoff.CleanupPlan{}
	if err := handoff.OrphanTeleports(ctx, s, plan); err != nil {
		return nil, err
	}
	var found []Finding
	for _, o := range plan.Orphans {
		found = append(found, Finding{Kind: "teleport", Subject: o.Name, Why: o.Why, Note: true,
			Hint: "`entire doctor clean --force` removes it here, `entire share cancel " + strings.TrimPrefix(o.Name, handoff.TeleportRefs) + " --to REMOTE` at a remote"})
	}
	return found, nil
}

// PlanCleanup looks for what is left over in the whole repository. It changes nothing.
func PlanCleanup(ctx context.Context, s *sessionstate.Env) (*handoff.CleanupPlan, error) {
	sums, err := s.Store.Summaries(ctx)
	if err != nil {
		return nil, err
	}
	plan := &handoff.CleanupPlan{}
	for _, look := range []func(context.Context, []session.Summary, *handoff.CleanupPlan) error{
		func(ctx context.Context, sums []session.Summary, plan *handoff.CleanupPlan) error {
			return orphanBranches(ctx, s, sums, plan)
		}, func(ctx context.Context, sums []session.Summary, plan *handoff.CleanupPlan) error {
			return orphanStates(ctx, s, sums, plan)
		}, func(ctx context.Context, sums []session.Summary, plan *handoff.CleanupPlan) error {
			return orphanCheckpoints(ctx, s, sums, plan)
		}, func(ctx context.Context, sums []session.Summary, plan *handoff.CleanupPlan) error {
			return orphanRefs(ctx, s, sums, plan)
		}, func(ctx context.Context, sums []session.Summary, plan *handoff.CleanupPlan) error {
			return orphanFiles(ctx, s, plan)
		},
	} {
		if err := look(ctx, sums, plan); err != nil {
			return nil, err
		}
	}
	return plan, handoff.OrphanTeleports(ctx, s, plan)
}

// orphanBranches adds the shadow branches that no session's state refers to.
func orphanBranches(ctx context.Context, s *sessionstate.Env, sums []session.Summary, plan *handoff.CleanupPlan) error {
	refs, err := s.Repo.Refs(ctx, "refs/heads/"+shadow.BranchPrefix)
	if err != nil {
		return err
	}
	needed := map[string]bool{}
	for _, sum := range sums {
		needed[shadowRefOf(sum.BaseCommit, sum.WorktreeID)] = true
	}
	recorded, err := pendingTips(s, sums)
	if err != nil {
		return err
	}
	known := readableTips(s, sums)
	_, bad, err := s.Store.List(ctx)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if !shadow.LooksLikeShadowRef(ref.Name) || needed[ref.Name] || recorded[ref.OID] {
			continue
		}
		why, err := whyNotOurs(ctx, s, ref.OID, known)
		if err != nil {
			return err
		}
		if why == "" && len(bad) > 0 { // the branch may be that session's
			why = "the session in " + bad[0].Name + " cannot be read"
		}
		if why != "" {
			plan.Foreign = append(plan.Foreign, sessionstate.KeptFile{Path: step.ShortBranch(ref.Name), Why: why})
			continue
		}
		tip, err := s.Repo.Reader(ctx).Commit(ref.OID)
		if err != nil {
			return err
		}
		if age := s.Now().Sub(tip.Committer.When); age > step.OrphanAge {
			plan.Add(handoff.Orphan{Kind: handoff.OrphanBranch, Name: step.ShortBranch(ref.Name), Why: "no session refers to it", OID: ref.OID})
		}
	}
	return nil
}

// recordedSteps returns the steps that the sessions' states name, whether they still exist or not.
func recordedSteps(ctx context.Context, s *sessionstate.Env) (map[git.OID]bool, error) {
	sums, err := s.Store.Summaries(ctx)
	return readableTips(s, sums), err
}

// readableTips returns the steps that states name; a state that cannot be read is skipped.
func readableTips(s *sessionstate.Env, sums []session.Summary) map[git.OID]bool {
	tips := map[git.OID]bool{}
	for _, sum := range sums {
		var sd sessionstate.EngineState
		if s.Store.LoadSide(sum.ID, sessionstate.EngineStateName, &sd) == nil {
			tips[sd.LastStep], tips[sd.TurnStart.Step] = true, true
		}
	}
	delete(tips, git.OID{})
	return tips
}

// pendingTips returns the steps that sessions with uncommitted work name. A state that cannot be
// read is an error.
func pendingTips(s *sessionstate.Env, sums []session.Summary) (map[git.OID]bool, error) {
	tips := map[git.OID]bool{}
	for _, sum := range sums {
		if !step.HasPendingWork(sum) {
			continue
		}
		var sd sessionstate.EngineState
		if err := s.Store.LoadSide(sum.ID, sessionstate.EngineStateName, &sd); err != nil && !errors.Is(err, session.ErrNotFound) {
			return nil, err // an unreadable state may name any step
		}
		tips[sd.LastStep], tips[sd.TurnStart.Step] = true, true
	}
	delete(tips, git.OID{})
	return tips, nil
}

// orphanStates adds the states of sessions that have neither a step nor a checkpoint.
func orphanStates(ctx context.Context, s *sessionstate.Env, sums []session.Summary, plan *handoff.CleanupPlan) error {
	var over []session.Summary
	for _, sum := range sums {
		if !hasStopped(s, sum) || !sum.LastCheckpointID.IsZero() || sum.TurnCheckpointIDs > 0 {
			continue
		}
		_, exists, err := s.Repo.Ref(ctx, shadowRefOf(sum.BaseCommit, sum.WorktreeID))
		if err != nil {
			return err
		}
		if !exists {
			over = append(over, sum)
		}
	}
	if len(over) == 0 {
		return nil
	}
	stored, err := storedSessions(ctx, s)
	if err != nil {
		return err
	}
	for _, sum := range over {
		if !stored[sum.ID.String()] {
			plan.Add(handoff.Orphan{Kind: handoff.OrphanState, Name: sum.ID.String(), Why: "it has neither a step nor a checkpoint", Seen: sum})
		}
	}
	return nil
}

// hasStopped reports whether a session has surely stopped. A session that has not ended counts as
// running for IdleAge, because an agent that waits for a prompt calls no hook.
func hasStopped(s *sessionstate.Env, sum session.Summary) bool {
	last := sum.StartedAt
	if sum.LastInteraction.After(last) {
		last = sum.LastInteraction
	}
	quiet := s.Now().Sub(last)
	switch sum.Phase {
	case session.PhaseActive:
		return false
	case session.PhaseEnded:
		return quiet > step.OrphanAge
	}
	return quiet > step.IdleAge
}

// storedSessions returns the IDs of all sessions that a checkpoint holds.
func storedSessions(ctx context.Context, s *sessionstate.Env) (map[string]bool, error) {
	parts, err := resume.OpenStoredSessions(s).Parts(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, p := range parts {
		found[p.SessionID] = true
	}
	return found, nil
}

// orphanRefs adds steps that were set aside, and refs of sessions that are gone.
func orphanRefs(ctx context.Context, s *sessionstate.Env, sums []session.Summary, plan *handoff.CleanupPlan) error {
	refs, foreign, err := step.ListOwnRefs(ctx, s)
	if err != nil {
		return err
	}
	plan.Foreign = append(plan.Foreign, foreign...)
	recorded, err := pendingTips(s, sums)
	if err != nil {
		return err
	}
	live, err := step.UncommittedSteps(ctx, s)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		o := handoff.Orphan{Name: ref.Name, OID: ref.OID}
		switch dir, rest := step.SplitOwnRef(ref.Name); dir {
		case "orphans":
			if recorded[ref.OID] {
				continue // a session continues with these steps
			}
			o.Kind, o.Why = handoff.OrphanAside, describeSetAside(ctx, s, ref.OID)
		case "backlog", "tasks":
			if !sessionGone(ctx, s, rest) {
				continue
			}
			o.Kind, o.Why = handoff.OrphanBacklog, "its session is gone"
		case "undo", "labels":
			if o.Kind, o.Why = handoff.OrphanUndo, step.WhyExpired(ctx, s, ref, live); o.Why == "" {
				continue
			}
		case sessionstate.KeptTurnsFolder:
			if o.Kind, o.Why = handoff.OrphanTurns, whyTurnsExpired(s, ref); o.Why == "" {
				continue
			}
		default:
			continue
		}
		plan.Add(o)
	}
	return nil
}

// sessionGone reports whether a session has no state. A state that cannot be read counts as present.
func sessionGone(ctx context.Context, s *sessionstate.Env, name string) bool {
	sid, err := id.ParseSessionID(name)
	if err != nil {
		return false
	}
	_, err = s.Store.Load(ctx, sid)
	return errors.Is(err, session.ErrNotFound)
}

// describeSetAside describes the steps that would be lost with a set-aside ref.
func describeSetAside(ctx context.Context, s *sessionstate.Env, tip git.OID) string {
	const plain = "steps that were set aside"
	log, err := s.Repo.Log(ctx, tip.String(), step.StepsScanned)
	if err != nil || len(log) == 0 {
		return plain
	}
	text := worktree.Counted(len(log), "step")
	if sid := shadow.ParseStep(log[0].Message).Session; !sid.IsZero() {
		text += " of session " + sid.Short()
	}
	return text + ", set aside"
}
