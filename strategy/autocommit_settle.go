package strategy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// made links a commit that git has made, or notes why git has not made it. moved is true if
// another process committed in between, and the commit must be planned again.
func (a *ManualCommitStrategy) made(ctx context.Context, sid id.SessionID, job *autoJob, refused error) (moved bool, err error) {
	after := context.WithoutCancel(ctx) // the time limit is for git commit, which is over
	head, _, err := a.repo.Reader(after).CommitOf("HEAD")
	if err != nil {
		return false, errors.Join(refused, err)
	}
	if refused == nil && !childOf(head, job.auto.Parent) {
		// The commit has another parent than planned, and would undo that commit's changes.
		return true, a.removeCommit(after, head, job)
	}
	if head.OID != job.auto.Parent {
		// The commit was made, perhaps by a git that outlived a hook which was killed.
		if childOf(head, job.auto.Parent) && len(checkpoint.ParseCheckpointTrailers(head.Message)) > 0 || refused == nil {
			return false, a.settleAuto(after, head)
		}
		return true, nil
	}
	if refused == nil {
		return false, nil
	}
	if ctx.Err() == nil && strings.Contains(refused.Error(), ".lock'") { // another git holds it, and will release it
		return true, git.Pause(ctx, lockPause)
	}
	why := strings.TrimPrefix(refused.Error(), "git commit: ")
	if ctx.Err() != nil {
		why = "it took too long (a hook of yours, or a signature that waits for a passphrase?)"
	}
	a.Log.Warn("turn not committed", "session_id", sid.String(), "why", why, "said", saidBy(refused))
	return false, errors.Join(a.forgetAuto(), a.waits(after, sid, why, true))
}

// childOf reports whether parent is the commit's first parent.
func childOf(c git.Commit, parent git.OID) bool {
	return len(c.Parents) > 0 && c.Parents[0] == parent
}

// waits notes why a session's work is not committed.
func (a *ManualCommitStrategy) waits(ctx context.Context, sid id.SessionID, why string, refused bool) error {
	return a.inSession(ctx, sid, func(o *open) error {
		o.side.Auto.Waits, o.side.Auto.Refused = why, refused
		return nil
	})
}

// saidBy returns everything that git and the hooks printed.
func saidBy(err error) string {
	var exit *git.ExitError
	if errors.As(err, &exit) {
		return exit.Stderr
	}
	return err.Error()
}

// removeCommit removes the commit that was just made from the branch, if the branch still points to
// it.
func (a *ManualCommitStrategy) removeCommit(ctx context.Context, head git.Commit, job *autoJob) error {
	if !strings.Contains(head.Message, strings.TrimSpace(job.message)) || len(head.Parents) != 1 {
		return nil // not ours: HEAD has moved again
	}
	name := "HEAD"
	if b := a.repo.Branch(); b != "" {
		name = "refs/heads/" + b
	}
	err := a.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: name, New: head.Parents[0], Old: head.OID}})
	if errors.Is(err, git.ErrRefMoved) {
		return nil
	}
	return err
}

// settleAuto brings the user's index up to date with the commit, and links the commit.
func (s *ManualCommitStrategy) settleAuto(ctx context.Context, head git.Commit) error {
	lock, err := s.commitLock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	for _, prep := range s.choices() {
		if prep.Auto != nil {
			return s.settlePrepared(ctx, prep, head)
		}
	}
	return nil // another event has done it
}

// forgetAuto drops the choice for a commit that auto-commit planned and git did not make.
func (s *ManualCommitStrategy) forgetAuto() error {
	return s.storeChoices(slices.DeleteFunc(s.everyChoice(), func(p prepared) bool { return p.Auto != nil }))
}

// settlePrepared is settleAuto; the caller holds the commit lock. If the index could not be
// written, the choice is stored again for the next event.
func (s *ManualCommitStrategy) settlePrepared(ctx context.Context, prep prepared, head git.Commit) error {
	stale := s.indexFollows(ctx, prep.Auto, head)
	sums, err := s.here(ctx)
	if err == nil {
		err = s.linkHead(ctx, sums)
	}
	if err != nil {
		return errors.Join(stale, fmt.Errorf("settle commit %s: %w", head.OID.Short(), err))
	}
	if stale == nil {
		return nil
	}
	return errors.Join(stale, s.writePrepared(prep))
}

// indexFollows gives the user's index the entries that a commit, made from its own index, has
// changed. An entry that has changed since the commit was planned is the user's, and stays.
func (s *ManualCommitStrategy) indexFollows(ctx context.Context, auto *autoCommit, head git.Commit) error {
	if !childOf(head, auto.Parent) {
		return nil
	}
	before, err := s.headTree(ctx, auto.Parent)
	if err != nil {
		return err
	}
	changes, err := s.repo.DiffTrees(ctx, before, head.Tree)
	if err != nil {
		return err
	}
	staged, err := s.repo.Staged(ctx, "")
	if err != nil {
		return err
	}
	return s.repo.SetIndex(ctx, indexEdits(auto, changes, staged.Changes))
}

// indexEdits returns the index entries to write. changes are the commit's; staged is how the
// index differs from the commit.
func indexEdits(auto *autoCommit, changes, staged []git.Change) []git.Edit {
	now := make(map[string]stood, len(staged))
	for _, c := range staged {
		now[c.Path] = stoodAt(c.NewMode, c.New)
	}
	planned := make(map[string]autoFile, len(auto.Files))
	for _, f := range auto.Files {
		planned[textPath(f.Path)] = f
	}
	var edits []git.Edit
	for _, c := range changes {
		have, differs := now[c.Path]
		if !differs {
			continue
		}
		f, ours := planned[c.Path]
		switch {
		case have == stoodAt(c.OldMode, c.Old): // the file was not staged, and stays so
			edits = append(edits, git.Edit{Path: c.Path, Mode: c.NewMode, OID: c.New})
		case ours && have == f.Staged && f.Index != f.Staged:
			edits = append(edits, git.Edit{Path: c.Path, Mode: f.Index.Mode, OID: f.Index.OID})
		}
	}
	return edits
}

// autoProblems returns what status shows of work that auto-commit has not committed.
func (s *ManualCommitStrategy) autoProblems(o *open) []Problem {
	if len(o.state.FilesTouched) == 0 {
		return nil
	}
	var out []Problem
	if why := o.side.Auto.Waits; why != "" {
		out = append(out, Problem{Kind: "not-committed", Subject: o.id.Short(), Why: why,
			Hint: "the next turn's end tries again; if you commit the work yourself, it is linked"})
	}
	for _, k := range o.side.Auto.Held {
		out = append(out, Problem{Kind: "not-committed", Subject: k.Path, Why: k.Why})
	}
	return out
}
