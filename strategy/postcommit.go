package strategy

import (
	"context"
	"errors"
	"slices"

	"entire/checkpoint"
	"entire/internal/git"
	"entire/session"
)

// PostCommit condenses the sessions whose work the new commit holds into the
// metadata branch, carries forward what it left out, and lets the other
// sessions' steps follow HEAD. Killed at any moment, it is completed by the next
// call of any kind.
func (s *ManualCommitStrategy) PostCommit(ctx context.Context) error {
	if s.inSequence() {
		return nil
	}
	sums, err := s.here(ctx)
	if err != nil {
		return err
	}
	s.completeLate(ctx, sums)
	if !s.prepared() && !anyPending(sums) && s.loadCache().tip.IsZero() {
		return nil
	}
	lock, err := s.commitLock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	return s.linkHead(ctx, sums)
}

// linkHead settles the commit at HEAD, and forgets what prepare-commit-msg had
// chosen when that is done.
func (s *ManualCommitStrategy) linkHead(ctx context.Context, sums []session.Summary) error {
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return err
	}
	cm, err := s.newCommit(ctx, head)
	if err != nil {
		return err
	}
	prep, _ := s.readPrepared()
	cps := checkpoint.ParseCheckpointTrailers(head.Message)
	chosen := prep.Sessions
	if !slices.Contains(cps, prep.Checkpoint) {
		if chosen = nil; len(cps) > 0 {
			prep.Checkpoint, cm.again = cps[0], true
			if chosen, err = s.choose(ctx, sums, cm.changes); err != nil {
				return err
			}
		}
	}
	if len(chosen) == 0 {
		err = s.unlinked(ctx, cm, sums)
	} else {
		err = s.condense(ctx, cm, prep.Checkpoint, chosen, sums)
	}
	if err != nil {
		return err
	}
	return s.forgetPrepared()
}

// madeCommit is the commit that was just made.
type madeCommit struct {
	git.Commit
	parent  git.OID // zero for a root commit
	changes []git.Change
	branch  string
	again   bool // its checkpoint was not made for it
}

func (s *ManualCommitStrategy) newCommit(ctx context.Context, head git.Commit) (madeCommit, error) {
	cm := madeCommit{Commit: head, branch: s.branchName()}
	var parentTree git.OID
	if len(head.Parents) > 0 {
		cm.parent = head.Parents[0]
		var err error
		if parentTree, err = s.headTree(ctx, cm.parent); err != nil && !errors.Is(err, git.ErrMissing) {
			return cm, err // the parent of a shallow clone's edge is missing
		}
	}
	changes, err := s.codeDiff(ctx, parentTree, head.Tree)
	cm.changes = changes
	return cm, err
}

// branchName is the short name HEAD has, "" when detached.
func (s *ManualCommitStrategy) branchName() string { return s.repo.Branch() }
