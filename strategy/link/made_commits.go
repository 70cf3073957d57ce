package link

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/checkpoint/trailer"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// FinishPending links the commit that a stored choice waits for, if git has made it. It ignores a
// commit that git is still making.
func FinishPending(ctx context.Context, s *sessionstate.Env) error {
	if !githead.HasChoice(s) {
		return nil
	}
	lock, err := githead.CommitLock(ctx, s)
	if err != nil {
		return err
	}
	defer lock.Release()
	_, err = finishMade(ctx, s)
	return err
}

// finishMade links the commits that were made for stored choices, oldest first, and drops
// choices whose commit cannot be made any more because HEAD has moved. It reports whether it has
// linked HEAD. The caller holds the commit lock.
func finishMade(ctx context.Context, s *sessionstate.Env) (settled bool, err error) {
	list := githead.AllChoices(s)
	if len(list) == 0 {
		return false, nil
	}
	head, born, err := s.Repo.Reader(ctx).CommitOf("HEAD") // read after the choices: each was made on this commit or an earlier one
	if err != nil || !born {
		return false, err
	}
	heads := &pastHeads{s: s}
	for _, prep := range slices.Backward(list) {
		if prep.Auto != nil && githead.IsChildOf(head, prep.Auto.Parent) {
			return true, FinishPrepared(ctx, s, prep, head)
		}
		which, err := finishChoice(ctx, s, heads, prep, head)
		settled = settled || which == head.OID
		if err != nil {
			return settled, err
		}
	}
	return settled, nil
}

// finishChoice returns the commit that it has linked, zero for none.
func finishChoice(ctx context.Context, s *sessionstate.Env, heads *pastHeads, prep githead.LinkChoice, head git.Commit) (git.OID, error) {
	made, ok, err := heads.madeFor(ctx, prep, head)
	switch {
	case err != nil:
		return git.OID{}, err
	case ok:
		return made.OID, finishLink(ctx, s, made)
	case !prep.AbandonedAt.IsZero() || prep.BaseCommit() == head.OID:
		return git.OID{}, nil
	}
	instead, err := finishOverwritten(ctx, s, heads, prep)
	return instead, errors.Join(err, githead.AbandonChoice(s, prep))
}

func finishLink(ctx context.Context, s *sessionstate.Env, made git.Commit) error {
	sums, err := step.WorktreeSessions(ctx, s)
	if err == nil {
		err = linkCommit(ctx, s, made, sums)
	}
	if err != nil {
		return fmt.Errorf("settle commit %s: %w", made.OID.Short(), err)
	}
	return nil
}

// CommitMadeFor finds the commit that was made for a choice: HEAD, or a commit in HEAD's reflog.
func CommitMadeFor(ctx context.Context, s *sessionstate.Env, prep githead.LinkChoice, head git.Commit) (c git.Commit, ok bool, err error) {
	return (&pastHeads{s: s}).madeFor(ctx, prep, head)
}

// pastHeads reads HEAD's reflog, and each commit in it, once for all choices: many may have been abandoned.
type pastHeads struct {
	s       *sessionstate.Env
	reflog  []git.ReflogEntry
	read    bool
	commits map[git.OID]git.Commit // the zero commit for one that is not here
}

func (h *pastHeads) madeFor(ctx context.Context, prep githead.LinkChoice, head git.Commit) (c git.Commit, ok bool, err error) {
	if prep.IsFor(head) {
		return head, true, nil
	}
	since, err := h.since(ctx, prep.Head)
	for _, c := range since {
		if prep.IsFor(c) {
			return c, true, nil
		}
	}
	return git.Commit{}, false, err
}

// headsMax bounds the commits of HEAD's reflog that are read for a choice.
const headsMax = 40

// since returns the commits that HEAD pointed to since it first left on, latest first, by its reflog.
func (h *pastHeads) since(ctx context.Context, on git.OID) (out []git.Commit, err error) {
	if !h.read {
		h.reflog, h.read, h.commits = git.ParseReflog(githead.Reflog(ctx, h.s)), true, map[git.OID]git.Commit{}
	}
	var since []git.OID
	for _, e := range h.reflog {
		if (len(since) > 0 || e.Old == on) && e.New != on && !e.New.IsZero() {
			since = append(since, e.New)
		}
	}
	for _, oid := range slices.Backward(since[max(0, len(since)-headsMax):]) {
		c, known := h.commits[oid]
		if !known {
			if c, _, err = h.s.Repo.Reader(ctx).CommitOf(oid.String()); err != nil {
				return nil, err
			}
			h.commits[oid] = c
		}
		if !c.OID.IsZero() {
			out = append(out, c)
		}
	}
	return out, nil
}

// finishOverwritten links the commit that was made in place of the choice's commit, if another git
// process overwrote the choice's trailer. HEAD may have left that commit before its own
// post-commit hook runs. It returns the commit, zero for none.
func finishOverwritten(ctx context.Context, s *sessionstate.Env, heads *pastHeads, prep githead.LinkChoice) (git.OID, error) {
	since, err := heads.since(ctx, prep.Head)
	i := slices.IndexFunc(since, func(c git.Commit) bool { return githead.IsChildOf(c, prep.Head) })
	if err != nil || i < 0 || len(trailer.ParseCheckpointTrailers(since[i].Message)) > 0 {
		return git.OID{}, err
	}
	if its, _ := ChoiceFor(ctx, s, since[i]); !messageOverwritten(its) {
		return git.OID{}, nil
	}
	return since[i].OID, finishLink(ctx, s, since[i])
}
