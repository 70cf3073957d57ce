package strategy

import (
	"context"
	"fmt"
	"slices"

	"entire/internal/git"
	"entire/session"
)

// Points lists what can be gone back to in this worktree, newest first: the
// steps on top of HEAD, then turns that commits have taken, labels made on other
// commits, and the commits of HEAD's history that have a checkpoint. limit 0 lists
// as many as a person may want to see.
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

// TurnPoints are the points on top of HEAD and, at most as many again, the turns that
// commits have taken, both newest first.
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

// inOrder is what stood before HEAD, newest first. Within a second a commit comes
// before the turns that it has taken. Where the branch can be moved back to a commit,
// the newest of these is that very point.
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

// livePoints are the points on HEAD's shadow branch, newest first.
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

// noteLetGo marks the points of sessions whose work a commit without a link has
// taken, while others go on with the branch.
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
