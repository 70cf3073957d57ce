package strategy

import (
	"context"
	"fmt"
	"slices"

	"entire/checkpoint"
	"entire/id"
	"entire/session"
)

// PlanTurn plans to undo one turn of a session and to keep what came later. Without a session in
// the scope, it takes the one that was last active in this worktree. It changes nothing.
func (s *ManualCommitStrategy) PlanTurn(ctx context.Context, sc Scope) (*RewindPlan, error) {
	sid, err := s.sessionOf(ctx, sc.Session)
	if err != nil {
		return nil, err
	}
	plan := &RewindPlan{Kind: RewindDone, Scope: sc, sid: sid}
	plan.Scope.Kind, plan.Scope.Session, plan.Scope.SkipTalk = ScopeTurn, sid.String(), true
	if err := s.planPresent(ctx, plan); err != nil {
		return nil, err
	}
	c, err := s.chainFor(ctx, plan)
	if err != nil {
		return nil, err
	}
	if plan.Scope.Turn, err = c.turn(sid, sc.Turn); err != nil {
		return nil, err
	}
	var files []string
	for i, st := range c.steps {
		if !c.isTurn(i, sid, plan.Scope.Turn) {
			continue
		}
		changed, err := s.changedBy(ctx, st)
		if err != nil {
			return nil, err
		}
		files, plan.step = union(files, changed), st
	}
	points, err := s.stepPoints(ctx, []step{plan.step})
	if err != nil {
		return nil, err
	}
	plan.Point = points[0]
	plan.after = plan.before
	if !sc.SkipCode {
		if err := s.standAs(ctx, plan, files, stepScope(plan.Scope), noStep); err != nil {
			return nil, err
		}
	}
	plan.Warnings = append(plan.Warnings, fmt.Sprintf("the conversation keeps turn %d", plan.Scope.Turn))
	return plan, s.fill(ctx, plan)
}

// sessionOf returns the named session, or the one that was last active in this worktree.
func (s *ManualCommitStrategy) sessionOf(ctx context.Context, name string) (id.SessionID, error) {
	if name != "" {
		return id.ParseSessionID(name)
	}
	sums, err := s.here(ctx)
	if err != nil {
		return id.SessionID{}, err
	}
	if len(sums) == 0 {
		return id.SessionID{}, fmt.Errorf("no session has worked here: %w", session.ErrNotFound)
	}
	last := slices.MaxFunc(sums, func(a, b session.Summary) int { return a.LastInteraction.Compare(b.LastInteraction) })
	return last.ID, nil
}

func (c *chain) isTurn(i int, sid id.SessionID, turn int) bool {
	kind := c.steps[i].info.Kind
	return (kind == checkpoint.StepAgent || kind == checkpoint.StepTask) && c.steps[i].info.Session == sid && c.steps[i].info.Turn == turn
}

// turn returns the number of a session's turn that changed files. n is that number, or 0 or -1
// for the last such turn, -2 for the one before it, and so on.
func (c *chain) turn(sid id.SessionID, n int) (int, error) {
	var turns []int
	for i, st := range c.steps {
		if t := st.info.Turn; t > 0 && c.isTurn(i, sid, t) && !slices.Contains(turns, t) {
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
