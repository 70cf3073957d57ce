package githead

import (
	"context"
	"errors"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// KeepTurnsUpdate returns the ref update that keeps steps after their branch is deleted, none if there
// are no steps to keep. cp is zero for a commit that is not linked; CommittedSteps without sessions
// stand for all sessions.
func KeepTurnsUpdate(ctx context.Context, s *sessionstate.Env, cm MadeCommit, cp id.CheckpointID, taken []step.CommittedSteps, author git.Signature) ([]git.RefUpdate, error) {
	if s.KeepTurns < 0 || len(taken) == 0 {
		return nil, nil
	}
	author.When = s.Now()
	ref := step.KeptTurnsRoot(s) + author.When.UTC().Format(sessionstate.DayFormat)
	was, exists, err := s.Repo.Reader(ctx).CommitOf(ref)
	if err != nil {
		return nil, err
	}
	last := was.OID
	for _, t := range taken {
		c := git.Commit{Tree: t.Tip.Tree, Author: author, Committer: author, Message: shadow.KeptTurns{
			Tip: t.Tip.OID, Commit: cm.OID, Checkpoint: cp, Sessions: t.Sessions}.Message()}
		if exists {
			c.Parents = []git.OID{last}
		}
		c.Parents = append(c.Parents, t.Tip.OID)
		if last, err = s.Repo.Writer().Commit(c); err != nil {
			return nil, err
		}
		exists = true
	}
	return []git.RefUpdate{{Name: ref, New: last, Old: was.OID}}, nil
}

// DropShadowBranch removes a branch if it still points to tip, and keeps its turns.
func DropShadowBranch(ctx context.Context, s *sessionstate.Env, cm MadeCommit, ref string, tip git.OID) error {
	c, err := s.Repo.Reader(ctx).Commit(tip)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return err
	}
	var taken []step.CommittedSteps
	if err == nil && step.MayHaveTurns(c) {
		taken = []step.CommittedSteps{{Tip: c}}
	}
	for try := 0; ; try++ {
		kept, err := KeepTurnsUpdate(ctx, s, cm, id.CheckpointID{}, taken, c.Committer)
		if err != nil {
			return err
		}
		err = s.Repo.UpdateRefs(ctx, append(kept, git.RefUpdate{Name: ref, Old: tip}))
		if err == nil {
			worktree.SaveCache(s, &sessionstate.WorktreeCache{Head: cm.OID, Stats: worktree.LoadCache(ctx, s).Stats})
			return nil
		}
		now, exists, rerr := s.Repo.Ref(ctx, ref)
		switch {
		case !errors.Is(err, git.ErrRefMoved):
			return err
		case rerr != nil || !exists || now != tip || try >= step.CasTries:
			return rerr
		}
	}
}
