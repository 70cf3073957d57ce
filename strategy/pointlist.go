package strategy

import (
	"context"
	"fmt"
	"slices"

	"entire/internal/git"
	"entire/session"
)

// Points lists this worktree's points, newest first: the steps on top of HEAD, then kept turns that
// commits took, labels made on other commits, and the commits of HEAD's history that have a
// checkpoint. limit 0 stands for pointsMax.
func (s *ManualCommitStrategy) Points(ctx context.Context, limit int) ([]RewindPoint, error) {
	if limit == 0 {
		limit = pointsMax
	}
	points, err := s.pointsNow(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("list rewind points: %w", err)
	}
	return points[:min(len(points), limit)], nil
}

func (s *ManualCommitStrategy) pointsNow(ctx context.Context, limit int) ([]RewindPoint, error) {
	points, kept, err := s.turnPoints(ctx, limit)
	if err != nil {
		return nil, err
	}
	labels, err := s.olderLabels(ctx, slices.Concat(points, kept))
	if err != nil || len(points) >= limit {
		return points, err
	}
	commits, err := s.committedPoints(ctx)
	if err != nil {
		return nil, err
	}
	return append(points, inOrder(commits, kept, labels)...), nil
}

// TurnPoints returns the points on top of HEAD and, at most as many again, the kept turns that
// commits took, both newest first.
func (s *ManualCommitStrategy) TurnPoints(ctx context.Context, limit int) ([]RewindPoint, error) {
	points, kept, err := s.turnPoints(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("list turns: %w", err)
	}
	return append(points, kept...), nil
}

func (s *ManualCommitStrategy) turnPoints(ctx context.Context, limit int) (live, kept []RewindPoint, err error) {
	if live, err = s.livePoints(ctx, limit, listed); err != nil {
		return nil, nil, err
	}
	if kept, err = s.keptPoints(ctx, limit); err != nil {
		return nil, nil, err
	}
	return slices.DeleteFunc(live, func(p RewindPoint) bool {
		return p.TakenBy != "" && slices.ContainsFunc(kept, func(k RewindPoint) bool { return k.ID == p.ID })
	}), kept, nil
}

// inOrder merges the points from before HEAD, newest first. Within one second a commit comes before
// the turns it took. If a commit's own tree can be restored (auto-commit), the newest of its turns
// is the same point and is left out.
func inOrder(commits, kept, labels []RewindPoint) []RewindPoint {
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
func (s *ManualCommitStrategy) livePoints(ctx context.Context, limit int, want func(step) bool) ([]RewindPoint, error) {
	down, by := takenBy{}, map[git.OID]git.OID{}
	steps, err := s.steps(ctx, limit, func(st step) bool {
		if taken := down.at(st); !taken.IsZero() {
			by[st.OID] = taken
		}
		return want(st)
	})
	if err != nil {
		return nil, err
	}
	points, err := s.stepPoints(ctx, steps)
	if err != nil {
		return nil, err
	}
	for i, st := range steps {
		if by, taken := by[st.OID]; taken {
			points[i].TakenBy = by.String()
		}
	}
	return points, s.noteLetGo(ctx, points)
}

// noteLetGo sets TakenBy on the points of sessions whose work is in an unlinked commit, while other
// sessions still use the branch.
func (s *ManualCommitStrategy) noteLetGo(ctx context.Context, points []RewindPoint) error {
	head, _ := s.repo.Head()
	var sums []session.Summary
	for i, p := range points {
		if p.TakenBy != "" || p.Head == "" || p.Head == head.String() {
			continue
		}
		if sums == nil {
			var err error
			if sums, err = s.here(ctx); err != nil {
				return err
			}
		}
		for _, sum := range sums {
			if sum.ID.String() != p.SessionID || pending(sum) {
				continue
			}
			var sd side
			if err := s.store.LoadSide(sum.ID, sideName, &sd); err == nil && len(sd.Unlinked) > 0 {
				points[i].TakenBy = sd.Unlinked[len(sd.Unlinked)-1].Commit.String()
			}
		}
	}
	return nil
}
