package step

import (
	"context"
	"fmt"
	"slices"

	"entire/internal/git"
	"entire/session"
	"entire/strategy/sessionstate"
)

// Points lists this worktree's points, newest first: the steps on top of HEAD, then steps on commits that HEAD
// has left, kept turns that commits took, labels made on other commits, and the commits of HEAD's history that
// have a checkpoint. limit 0 stands for pointsMax.
func Points(ctx context.Context, s *sessionstate.Env, limit int) ([]RewindPoint, error) {
	if limit == 0 {
		limit = pointsMax
	}
	points, err := collectPoints(ctx, s, limit)
	if err != nil {
		return nil, fmt.Errorf("list rewind points: %w", err)
	}
	return points[:min(len(points), limit)], nil
}

func collectPoints(ctx context.Context, s *sessionstate.Env, limit int) ([]RewindPoint, error) {
	points, kept, err := turnPoints(ctx, s, limit)
	if err != nil {
		return nil, err
	}
	labels, err := olderLabels(ctx, s, slices.Concat(points, kept))
	if err != nil || len(points) >= limit {
		return points, err
	}
	commits, err := committedPoints(ctx, s)
	if err != nil {
		return nil, err
	}
	return append(points, MergeByDate(commits, kept, labels)...), nil
}

// TurnPoints returns the points on top of HEAD and, at most as many again, those on commits that HEAD has left
// with the kept turns that commits took, both newest first.
func TurnPoints(ctx context.Context, s *sessionstate.Env, limit int) ([]RewindPoint, error) {
	points, kept, err := turnPoints(ctx, s, limit)
	if err != nil {
		return nil, fmt.Errorf("list turns: %w", err)
	}
	return append(points, kept...), nil
}

func turnPoints(ctx context.Context, s *sessionstate.Env, limit int) (live, kept []RewindPoint, err error) {
	if live, err = livePoints(ctx, s, limit, IsListed); err != nil {
		return nil, nil, err
	}
	if kept, err = keptPoints(ctx, s, limit); err != nil {
		return nil, nil, err
	}
	left, err := leftPoints(ctx, s, limit)
	if err != nil {
		return nil, nil, err
	}
	left = slices.DeleteFunc(left, func(p RewindPoint) bool {
		same := func(k RewindPoint) bool { return k.ID == p.ID }
		return slices.ContainsFunc(kept, same) || slices.ContainsFunc(live, same)
	})
	kept = append(left, kept...)
	slices.SortStableFunc(kept, func(a, b RewindPoint) int { return b.Date.Compare(a.Date) })
	return slices.DeleteFunc(live, func(p RewindPoint) bool {
		return p.TakenBy != "" && slices.ContainsFunc(kept, func(k RewindPoint) bool { return k.ID == p.ID })
	}), kept, nil
}

// MergeByDate merges the points from before HEAD, newest first. Within one second a commit comes before
// the turns it took. If a commit's own tree can be restored (auto-commit), the newest of its turns
// is the same point and is left out.
func MergeByDate(commits, kept, labels []RewindPoint) []RewindPoint {
	var out []RewindPoint
	for _, c := range commits {
		out = append(out, c)
		same := !c.IsLogsOnly
		kept = slices.DeleteFunc(kept, func(k RewindPoint) bool {
			if k.TakenBy != c.ID {
				return false
			}
			if !same {
				out = append(out, k)
			}
			same = false
			return true
		})
	}
	out = append(append(out, kept...), labels...)
	slices.SortStableFunc(out, func(a, b RewindPoint) int { return b.Date.Compare(a.Date) })
	return out
}

// livePoints returns the points on HEAD's shadow branch, newest first.
func livePoints(ctx context.Context, s *sessionstate.Env, limit int, want func(Step) bool) ([]RewindPoint, error) {
	var steps []Step
	var taken []git.OID
	for st, err := range LiveSteps(ctx, s) {
		if err != nil {
			return nil, err
		}
		if len(steps) >= limit {
			break
		}
		if want(st.Step) {
			steps, taken = append(steps, st.Step), append(taken, st.TakenBy)
		}
	}
	points, err := StepPoints(ctx, s, steps)
	if err != nil {
		return nil, err
	}
	for i, by := range taken {
		if !by.IsZero() {
			points[i].TakenBy = by.String()
		}
	}
	return points, markUnlinkedWork(ctx, s, points)
}

// markUnlinkedWork sets TakenBy on the points of sessions whose work is in an unlinked commit, while other
// sessions still use the branch.
func markUnlinkedWork(ctx context.Context, s *sessionstate.Env, points []RewindPoint) error {
	head, _ := s.Repo.Head(ctx)
	var sums []session.Summary
	for i, p := range points {
		if p.TakenBy != "" || p.Head == "" || p.Head == head.String() {
			continue
		}
		if sums == nil {
			var err error
			if sums, err = WorktreeSessions(ctx, s); err != nil {
				return err
			}
		}
		for _, sum := range sums {
			if sum.ID.String() != p.SessionID || HasPendingWork(sum) {
				continue
			}
			var sd sessionstate.EngineState
			if err := s.Store.LoadSide(sum.ID, sessionstate.EngineStateName, &sd); err == nil && len(sd.UnlinkedCommits) > 0 {
				points[i].TakenBy = sd.UnlinkedCommits[len(sd.UnlinkedCommits)-1].Commit.String()
			}
		}
	}
	return nil
}
