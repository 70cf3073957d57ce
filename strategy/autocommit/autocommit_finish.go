package autocommit

import (
	"context"
	"errors"
	"slices"
	"strings"

	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/link"
	"entire/strategy/sessionstate"
	"entire/strategy/turn"
)

// made links a commit that git has made, or notes why git has not made it. moved is true if
// another process committed in between, and the commit must be planned again.
func made(ctx context.Context, a *sessionstate.Env, sid id.SessionID, job *plannedCommit, refused error) (moved bool, err error) {
	after := context.WithoutCancel(ctx) // the time limit is for git commit, which is over
	head, _, err := a.Repo.Reader(after).CommitOf("HEAD")
	if err != nil {
		return false, errors.Join(refused, err)
	}
	if refused == nil && !githead.IsChildOf(head, job.auto.Parent) {
		// The commit has another parent than planned, and would undo that commit's changes.
		return true, removeCommit(after, a, head, job)
	}
	if head.OID != job.auto.Parent {
		// The commit was made, perhaps by a git that outlived a hook which was killed.
		if githead.IsChildOf(head, job.auto.Parent) && len(trailer.ParseCheckpointTrailers(head.Message)) > 0 || refused == nil {
			return false, finishAutoCommit(after, a, head)
		}
		return true, nil
	}
	if refused == nil {
		return false, nil
	}
	if ctx.Err() == nil && strings.Contains(refused.Error(), ".lock'") { // another git holds it, and will release it
		return true, durable.Pause(ctx, lockPause)
	}
	why := strings.TrimPrefix(refused.Error(), "git commit: ")
	if strings.HasPrefix(why, "exit status ") {
		why = "git commit said nothing but its " + why + " (a hook of yours?)"
	}
	if ctx.Err() != nil {
		why = "it took too long (a hook of yours, or a signature that waits for a passphrase?)"
	}
	a.Log.Warn("turn not committed", "session_id", sid.String(), "why", why, "said", gitOutput(refused))
	return false, errors.Join(dropAutoChoice(a), waits(after, a, sid, why, true))
}

// waits notes why a session's work is not committed.
func waits(ctx context.Context, a *sessionstate.Env, sid id.SessionID, why string, refused bool) error {
	return a.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) error {
		o.Engine.AutoCommit.WaitReason, o.Engine.AutoCommit.Refused = why, refused
		return nil
	})
}

// gitOutput returns everything that git and the hooks printed.
func gitOutput(err error) string {
	var exit *git.ExitError
	if errors.As(err, &exit) {
		return exit.Stderr
	}
	return err.Error()
}

// removeCommit removes the commit that was just made from the branch, if the branch still points to
// it.
func removeCommit(ctx context.Context, a *sessionstate.Env, head git.Commit, job *plannedCommit) error {
	if !strings.Contains(head.Message, strings.TrimSpace(job.message)) || len(head.Parents) != 1 {
		return nil // not ours: HEAD has moved again
	}
	name := "HEAD"
	if b := a.Repo.Branch(ctx); b != "" {
		name = "refs/heads/" + b
	}
	err := a.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: name, New: head.Parents[0], Old: head.OID}})
	if errors.Is(err, git.ErrRefMoved) {
		return nil
	}
	return err
}

// finishAutoCommit brings the user's index up to date with the commit, and links the commit.
func finishAutoCommit(ctx context.Context, s *sessionstate.Env, head git.Commit) error {
	lock, err := githead.CommitLock(ctx, s)
	if err != nil {
		return err
	}
	defer lock.Release()
	for _, prep := range githead.WaitingChoices(s) {
		if prep.Auto != nil {
			return link.FinishPrepared(ctx, s, prep, head)
		}
	}
	return nil // another event has done it
}

// dropAutoChoice drops the choice for a commit that auto-commit planned and git did not make.
func dropAutoChoice(s *sessionstate.Env) error {
	return githead.StoreChoices(s, slices.DeleteFunc(githead.AllChoices(s), func(p githead.LinkChoice) bool { return p.Auto != nil }))
}

// AutoProblems returns what status shows of work that auto-commit has not committed.
func AutoProblems(s *sessionstate.Env, o *sessionstate.LockedSession) []turn.Problem {
	if len(o.State.FilesTouched) == 0 {
		return nil
	}
	var out []turn.Problem
	if why := o.Engine.AutoCommit.WaitReason; why != "" {
		out = append(out, turn.Problem{Kind: "not-committed", Subject: o.ID.Short(), Why: why,
			Hint: "the next turn's end tries again; if you commit the work yourself, it is linked"})
	}
	for _, k := range o.Engine.AutoCommit.LeftOut {
		out = append(out, turn.Problem{Kind: "not-committed", Subject: k.Path, Why: k.Why})
	}
	return out
}
