package ownership

import (
	"context"
	"errors"

	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// headMoveBlobs is a move of HEAD before a step, with the files' blobs on both sides.
type headMoveBlobs struct {
	step     int
	from, to []git.OID
}

// headMovesAmong finds the moves of HEAD between the steps. A move from or to a commit that git lacks
// is skipped.
func headMovesAmong(ctx context.Context, s *sessionstate.Env, p *stepChain, paths []string) ([]headMoveBlobs, error) {
	var moves []headMoveBlobs
	var trees []git.OID
	for i := 1; i < len(p.steps); i++ {
		was, is := p.steps[i-1].Info.Base, p.steps[i].Info.Base
		if was == is || was.IsZero() || is.IsZero() {
			continue
		}
		from, err := worktree.HeadTree(ctx, s, was)
		if err == nil {
			var to git.OID
			if to, err = worktree.HeadTree(ctx, s, is); err == nil {
				moves, trees = append(moves, headMoveBlobs{step: i}), append(trees, from, to)
			}
		}
		if err != nil && !errors.Is(err, git.ErrMissing) {
			return nil, err
		}
	}
	if len(moves) == 0 {
		return nil, nil
	}
	at, err := step.BlobsAt(ctx, s, trees, paths)
	if err != nil {
		return nil, err
	}
	for i := range moves {
		moves[i].from, moves[i].to = at[2*i], at[2*i+1]
	}
	return moves, nil
}

// noteHeadMoves notes what the moves of HEAD brought to the k-th path, if the worktree's file followed.
// Nobody changed the file then.
func (c *lineHistory) noteHeadMoves(moves []headMoveBlobs, k int) {
	for _, m := range moves {
		if from, to := m.from[k], m.to[k]; from != to && c.steps[m.step-1] == from {
			c.noteBrought(m.step, to)
		}
	}
}

// noteBrought notes a content that the file got before a step, and that the step's author has not written.
func (c *lineHistory) noteBrought(step int, oid git.OID) {
	if c.brought == nil {
		c.brought = map[int]git.OID{}
	}
	c.brought[step] = oid
}
