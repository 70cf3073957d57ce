package strategy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint"
	"entire/internal/git"
)

// resumeCommit settles the commit that a choice still waits for, if it was made.
// A commit that is only being made is left alone.
func (s *ManualCommitStrategy) resumeCommit(ctx context.Context) error {
	if !s.prepared() {
		return nil
	}
	lock, err := s.commitLock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	_, err = s.settleMade(ctx)
	return err
}

// settleMade settles the commits that choices wait for and that were made, the oldest
// first, drops the choices whose commit can no longer be made, as HEAD has moved, and
// reports whether it has settled HEAD. The caller holds the commit lock.
func (s *ManualCommitStrategy) settleMade(ctx context.Context) (settled bool, err error) {
	list := s.choices()
	if len(list) == 0 {
		return false, nil
	}
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD") // after the choices: each began on this or an earlier one
	if err != nil || !born {
		return false, err
	}
	for _, prep := range slices.Backward(list) {
		if prep.Auto != nil && childOf(head, prep.Auto.Parent) {
			return true, s.settlePrepared(ctx, prep, head)
		}
		made, ok, err := s.madeFor(ctx, prep, head)
		if err == nil && ok {
			err = s.settleCommit(ctx, made)
			settled = settled || made.OID == head.OID
		} else if err == nil && prep.begun() != head.OID {
			err = errors.Join(s.settleInstead(ctx, prep, head), s.retire(prep))
		}
		if err != nil {
			return settled, err
		}
	}
	return settled, nil
}

func (s *ManualCommitStrategy) settleCommit(ctx context.Context, made git.Commit) error {
	sums, err := s.here(ctx)
	if err == nil {
		err = s.linkCommit(ctx, made, sums)
	}
	if err != nil {
		return fmt.Errorf("settle commit %s: %w", made.OID.Short(), err)
	}
	return nil
}

// madeFor finds the commit that a choice was made for: HEAD, or one that HEAD
// has left since, as its reflog tells.
func (s *ManualCommitStrategy) madeFor(ctx context.Context, prep prepared, head git.Commit) (c git.Commit, ok bool, err error) {
	if prep.isFor(head) {
		return head, true, nil
	}
	next, err := s.successors(ctx, prep)
	for _, c := range next {
		if prep.isFor(c) {
			return c, true, nil
		}
	}
	return git.Commit{}, false, err
}

// successors are the commits that followed at once, as HEAD's reflog tells, where a
// choice was made, the latest first.
func (s *ManualCommitStrategy) successors(ctx context.Context, prep prepared) (out []git.Commit, err error) {
	if prep.On.IsZero() {
		return nil, nil
	}
	for _, line := range slices.Backward(strings.Split(string(s.reflog()), "\n")) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != prep.On.String() {
			continue
		}
		next, err := git.ParseOID(words[1])
		if err != nil {
			continue
		}
		c, ok, err := s.repo.Reader(ctx).CommitOf(next.String())
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, c)
		}
	}
	return out, nil
}

// settleInstead settles the commit that was made where a choice was, if another git has
// overwritten its trailer and HEAD has left it since: its own post-commit comes too late.
func (s *ManualCommitStrategy) settleInstead(ctx context.Context, prep prepared, head git.Commit) error {
	next, err := s.successors(ctx, prep)
	if err != nil || len(next) == 0 || next[0].OID == head.OID || !childOf(next[0], prep.On) {
		return err
	}
	its, _ := s.choiceFor(next[0])
	if len(checkpoint.ParseCheckpointTrailers(next[0].Message)) > 0 || !its.overwritten() {
		return nil
	}
	return s.settleCommit(ctx, next[0])
}
