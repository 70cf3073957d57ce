package rewind

import (
	"context"
	"fmt"
	"slices"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// SnapshotNow takes a snapshot of the worktree.
func SnapshotNow(ctx context.Context, s *sessionstate.Env) (*worktree.Snapshot, error) {
	return SnapshotUntil(s, ctx, ctx)
}

// SnapshotUntil is now, but leaves out the files that are not read when the context reading ends.
func SnapshotUntil(s *sessionstate.Env, ctx, reading context.Context) (*worktree.Snapshot, error) {
	if err := worktree.CheckIgnoreFile(s); err != nil {
		return nil, err
	}
	st, err := worktree.AddIncluded(ctx, s, s.Repo.StartStatus(ctx))
	if err != nil {
		return nil, err
	}
	snap, err := worktree.TakeSnapshotUntil(s, ctx, reading, st)
	if err != nil {
		return nil, err
	}
	restore.ScanDirs(s, st, snap)
	return snap, nil
}

// PlanTurn plans to undo one turn of a session and to keep what came later. Without a session in
// the scope, it takes the one that was last active in this worktree. It changes nothing.
func PlanTurn(ctx context.Context, s *sessionstate.Env, sc condense.Scope) (*Plan, error) {
	sid, err := sessionOf(ctx, s, sc.Session)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Kind: condense.RewindDone, Scope: sc, session: sid}
	plan.Scope.Kind, plan.Scope.Session, plan.Scope.SkipConversation = condense.ScopeTurn, sid.String(), true
	if err := readPresent(ctx, s, plan); err != nil {
		return nil, err
	}
	c, err := chainOfPlan(ctx, s, plan)
	if err != nil {
		return nil, err
	}
	if plan.Scope.Turn, err = c.turnNumber(sid, sc.Turn); err != nil {
		return nil, err
	}
	var files []string
	for i, st := range c.steps {
		if !c.isTurn(i, sid, plan.Scope.Turn) {
			continue
		}
		changed, err := stepPaths(ctx, s, st)
		if err != nil {
			return nil, err
		}
		files, plan.step = worktree.Union(files, changed), st
	}
	points, err := step.StepPoints(ctx, s, []step.Step{plan.step})
	if err != nil {
		return nil, err
	}
	plan.Point = points[0]
	plan.after = plan.before
	if !sc.SkipCode {
		if err := planScope(ctx, s, plan, files, stepScope(plan.Scope), NoStep); err != nil {
			return nil, err
		}
	}
	plan.Warnings = append(plan.Warnings, fmt.Sprintf("the conversation keeps turn %d", plan.Scope.Turn))
	return plan, planChanges(ctx, s, plan)
}

// sessionOf returns the named session, or the one that was last active in this worktree.
func sessionOf(ctx context.Context, s *sessionstate.Env, name string) (id.SessionID, error) {
	if name != "" {
		return id.ParseSessionID(name)
	}
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return id.SessionID{}, err
	}
	if len(sums) == 0 {
		return id.SessionID{}, fmt.Errorf("no session has worked here: %w", session.ErrNotFound)
	}
	last := slices.MaxFunc(sums, func(a, b session.Summary) int { return a.LastInteraction.Compare(b.LastInteraction) })
	return last.ID, nil
}

func (c *rewindSteps) isTurn(i int, sid id.SessionID, turn int) bool {
	kind := c.steps[i].Info.Kind
	return (kind == shadow.StepAgent || kind == shadow.StepTask) && c.steps[i].Info.Session == sid && c.steps[i].Info.Turn == turn
}

// turnNumber returns the number of a session's turn that changed files. n is that number, or 0 or -1
// for the last such turn, -2 for the one before it, and so on.
func (c *rewindSteps) turnNumber(sid id.SessionID, n int) (int, error) {
	var turns []int
	for i, st := range c.steps {
		if t := st.Info.Turn; t > 0 && c.isTurn(i, sid, t) && !slices.Contains(turns, t) {
			turns = append(turns, t)
		}
	}
	slices.Sort(turns)
	switch {
	case slices.Contains(turns, n):
		return n, nil
	case len(turns) == 0:
		return 0, fmt.Errorf("the turns of session %s are %w", sid.Short(), ErrNotOnBranch)
	case n <= 0 && -n <= len(turns):
		return turns[len(turns)-max(-n, 1)], nil
	}
	return 0, fmt.Errorf("turn %d of session %s is %w, or changed nothing; these did: %v", n, sid.Short(), ErrNotOnBranch, turns)
}
