package strategy

import (
	"context"
	"errors"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// When a commit takes the turns of a shadow branch, the branch is deleted. Its steps are kept under
// one ref a day, so that a rewind can still go to the turns: the same transaction adds one small
// commit for each commit of the user. Refs that are only deleted and never rewritten make it cheap
// to drop a day.

const (
	// DefaultKeepTurns is how long turns are kept after a commit took them.
	DefaultKeepTurns = 30 * 24 * time.Hour

	// DefaultTurnsLimit bounds the bytes that kept turns may need on disk.
	DefaultTurnsLimit = 1 << 30

	turnsFolder = "turns"
	dayForm     = "2006-01-02"
)

// turnRefs returns the folder of refs that keep this worktree's turns, one ref a day.
func (s *ManualCommitStrategy) turnRefs() string {
	return ownRefRoot + turnsFolder + "/" + checkpoint.HashWorktreeID(s.repo.WorktreeID) + "/"
}

// keepTurns returns the ref update that keeps steps after their branch is deleted, none if there
// are no steps to keep. cp is zero for a commit that is not linked; takenSteps without sessions
// stand for all sessions.
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

// takenSteps are the steps of a branch that a commit took: those of all sessions, or of some while
// other sessions still need the branch.
type takenSteps struct {
	tip      git.Commit
	sessions []id.SessionID
}

// hasTurns reports whether a branch may have a turn. A branch with a single step that only holds a
// turn's beginning has none.
func hasTurns(tip git.Commit) bool {
	return len(tip.Parents) > 0 || listed(step{tip, checkpoint.ParseStep(tip.Message)})
}

// dropSteps removes a branch if it still points to tip, and keeps its turns.
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
