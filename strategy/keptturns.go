package strategy

import (
	"context"
	"errors"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// When a commit has taken the turns of a shadow branch, the branch goes. What it
// pointed to is kept under a ref for each day, so that the turns can still be gone
// back to: one small commit for each commit of the user's, in the same transaction.
// Refs that are only deleted, and never written anew, make the end of a day's time
// cheap.

const (
	// DefaultKeepTurns is how long turns that commits have taken are kept.
	DefaultKeepTurns = 30 * 24 * time.Hour

	// DefaultTurnsLimit bounds what they may need on disk.
	DefaultTurnsLimit = 1 << 30

	turnsFolder = "turns"
	dayForm     = "2006-01-02"
)

// turnRefs is where this worktree's turns are kept, each day's under its date.
func (s *ManualCommitStrategy) turnRefs() string {
	return ownRefRoot + turnsFolder + "/" + checkpoint.HashWorktreeID(s.repo.WorktreeID) + "/"
}

// keepTurns is the update that keeps steps beyond their branch, none where no turn
// is among them. cp is zero for a commit without a link; no sessions are all.
func (s *ManualCommitStrategy) keepTurns(ctx context.Context, cm madeCommit, cp id.CheckpointID, taken []takenSteps, author git.Signature) ([]git.RefUpdate, error) {
	if s.KeepTurns < 0 || len(taken) == 0 {
		return nil, nil
	}
	author.When = s.Now()
	ref := s.turnRefs() + author.When.UTC().Format(dayForm)
	was, exists, err := s.repo.Reader(ctx).CommitOf(ref)
	if err != nil {
		return nil, err
	}
	last := was.OID
	for _, t := range taken {
		c := git.Commit{Tree: t.tip.Tree, Author: author, Committer: author, Message: checkpoint.KeptTurns{
			Tip: t.tip.OID, Commit: cm.OID, Checkpoint: cp, Sessions: t.sessions}.Message()}
		if exists {
			c.Parents = []git.OID{last}
		}
		c.Parents = append(c.Parents, t.tip.OID)
		if last, err = s.repo.Writer().Commit(c); err != nil {
			return nil, err
		}
		exists = true
	}
	return []git.RefUpdate{{Name: ref, New: last, Old: was.OID}}, nil
}

// takenSteps are steps of a branch that a commit has taken: all, or those of some
// sessions, where others go on with the branch.
type takenSteps struct {
	tip      git.Commit
	sessions []id.SessionID
}

// hasTurns reports whether a branch may have a turn: a single step that only holds
// what a turn began with has none.
func hasTurns(tip git.Commit) bool {
	return len(tip.Parents) > 0 || listed(step{tip, checkpoint.ParseStep(tip.Message)})
}

// dropSteps removes a branch if it is still where it was seen, and keeps its turns.
func (s *ManualCommitStrategy) dropSteps(ctx context.Context, cm madeCommit, ref string, tip git.OID) error {
	c, err := s.repo.Reader(ctx).Commit(tip)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return err
	}
	var taken []takenSteps
	if err == nil && hasTurns(c) {
		taken = []takenSteps{{tip: c}}
	}
	for try := 0; ; try++ {
		kept, err := s.keepTurns(ctx, cm, id.CheckpointID{}, taken, c.Committer)
		if err != nil {
			return err
		}
		err = s.repo.UpdateRefs(ctx, append(kept, git.RefUpdate{Name: ref, Old: tip}))
		if err == nil {
			s.saveCache(&worktreeCache{head: cm.OID, stats: s.loadCache().stats})
			return nil
		}
		now, exists, rerr := s.repo.Ref(ctx, ref)
		switch {
		case !errors.Is(err, git.ErrRefMoved):
			return err
		case rerr != nil || !exists || now != tip || try >= casTries:
			return rerr
		}
	}
}
