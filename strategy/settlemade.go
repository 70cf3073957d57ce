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

// resumeCommit links the commit that a stored choice waits for, if git has made it. It ignores a
// commit that git is still making.
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

// settleMade links the commits that were made for stored choices, oldest first, and drops
// choices whose commit cannot be made any more because HEAD has moved. It reports whether it has
// linked HEAD. The caller holds the commit lock.
func (s *ManualCommitStrategy) settleMade(ctx context.Context) (settled bool, err error) {
	list := s.everyChoice()
	if len(list) == 0 {
		return false, nil
	}
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD") // read after the choices: each was made on this commit or an earlier one
	if err != nil || !born {
		return false, err
	}
	for _, prep := range slices.Backward(list) {
		if prep.Auto != nil && childOf(head, prep.Auto.Parent) {
			return true, s.settlePrepared(ctx, prep, head)
		}
		which, err := s.settleOne(ctx, prep, head)
		settled = settled || which == head.OID
		if err != nil {
			return settled, err
		}
	}
	return settled, nil
}

// settleOne returns the commit that it has linked, zero for none.
func (s *ManualCommitStrategy) settleOne(ctx context.Context, prep prepared, head git.Commit) (git.OID, error) {
	made, ok, err := s.madeFor(ctx, prep, head)
	switch {
	case err != nil:
		return git.OID{}, err
	case ok:
		return made.OID, s.settleCommit(ctx, made)
	case !prep.Gone.IsZero() || prep.begun() == head.OID:
		return git.OID{}, nil
	}
	instead, err := s.settleInstead(ctx, prep)
	return instead, errors.Join(err, s.retire(prep))
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

// madeFor finds the commit that was made for a choice: HEAD, or a commit in HEAD's reflog.
func (s *ManualCommitStrategy) madeFor(ctx context.Context, prep prepared, head git.Commit) (c git.Commit, ok bool, err error) {
	if prep.isFor(head) {
		return head, true, nil
	}
	since, err := s.headsSince(ctx, prep.On)
	for _, c := range since {
		if prep.isFor(c) {
			return c, true, nil
		}
	}
	return git.Commit{}, false, err
}

// headsMax bounds the commits of HEAD's reflog that are read for a choice.
const headsMax = 40

// headsSince returns the commits that HEAD pointed to since it first left on, latest first, by
// its reflog.
func (s *ManualCommitStrategy) headsSince(ctx context.Context, on git.OID) (out []git.Commit, err error) {
	var since []git.OID
	for line := range strings.Lines(string(s.reflog())) {
		words := strings.Fields(line)
		if len(words) < 2 || len(since) == 0 && words[0] != on.String() {
			continue
		}
		if oid, err := git.ParseOID(words[1]); err == nil && oid != on {
			since = append(since, oid)
		}
	}
	for _, oid := range slices.Backward(since[max(0, len(since)-headsMax):]) {
		c, ok, err := s.repo.Reader(ctx).CommitOf(oid.String())
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, c)
		}
	}
	return out, nil
}

// settleInstead links the commit that was made in place of the choice's commit, if another git
// process overwrote the choice's trailer. HEAD may have left that commit before its own
// post-commit hook runs. It returns the commit, zero for none.
func (s *ManualCommitStrategy) settleInstead(ctx context.Context, prep prepared) (git.OID, error) {
	since, err := s.headsSince(ctx, prep.On)
	i := slices.IndexFunc(since, func(c git.Commit) bool { return childOf(c, prep.On) })
	if err != nil || i < 0 || len(checkpoint.ParseCheckpointTrailers(since[i].Message)) > 0 {
		return git.OID{}, err
	}
	if its, _ := s.choiceFor(since[i]); !its.overwritten() {
		return git.OID{}, nil
	}
	return since[i].OID, s.settleCommit(ctx, since[i])
}
