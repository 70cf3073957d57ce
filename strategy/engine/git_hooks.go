package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"entire/agent"
	"entire/checkpoint/trailer"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/link"
	"entire/strategy/maintain"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// withRepair runs a hook's work after repairing the current shadow branch. If the work fails because
// git has lost an object, the broken branches are set aside and the work is tried once more.
func withRepair(ctx context.Context, s *sessionstate.Env, do func() error) error {
	maintain.RepairTip(ctx, s)
	err := do()
	if err == nil || ctx.Err() != nil {
		return err
	}
	if mended := maintain.RepairBroken(ctx, s); mended || errors.Is(err, git.ErrMissing) {
		return do()
	}
	return err
}

// CommitMsg removes our trailer from a message that has nothing else, and from a template that the person did
// not edit, so that git still refuses them. It moves a trailer below which an editor has put text to the end.
func CommitMsg(ctx context.Context, s *sessionstate.Env, file string) error {
	msg, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read commit message: %w", err)
	}
	template, err := link.TakeTemplate(s)
	if err != nil || !bytes.Contains(msg, []byte(trailer.Checkpoint)) {
		return err
	}
	form, err := githead.MessageForm(ctx, s, msg)
	if err != nil {
		return err
	}
	text, comments := msg, form.CommentPrefix
	if form.KeepsComments {
		text, _, _ = bytes.Cut(msg, []byte(comments+" "+githead.ScissorsMark))
		comments = trailer.NoComments
	}
	unedited := template != nil && trailer.MessageText(text, comments) == trailer.MessageText(template, comments)
	if unedited || trailer.IsOtherwiseEmpty(text, comments) {
		return githead.ReplaceMessage(file, trailer.RemoveTrailers(msg))
	}
	moved := msg
	for _, p := range githead.WaitingChoices(s) {
		moved = trailer.TrailerToEnd(moved, p.Checkpoint, form)
	}
	if bytes.Equal(moved, msg) {
		return nil
	}
	return githead.ReplaceMessage(file, moved)
}

// PostCommit condenses the sessions whose work the new commit holds into the metadata branch,
// carries forward the work that the commit left out, and moves the other sessions' steps to HEAD.
// If it is killed at any moment, the next call of any kind completes it.
func PostCommit(ctx context.Context, s *sessionstate.Env) error {
	if s.Committing || githead.InSequence(ctx, s) && !githead.HasChoice(s) {
		return nil // the commits of a rebase or a cherry-pick keep their messages
	}
	transcript.ReadOpenTurns(ctx, s, agent.Event{})
	return withRepair(ctx, s, func() error { return link.PostCommit(ctx, s) })
}

// PrepareCommitMsg adds a checkpoint trailer to the message in file when the commit holds a
// session's work, and the trailers of the commits that this one replaces: amended, fixed up,
// squashed, or made again after a reset. Otherwise, and on every error, the message stays as it is.
// source is git's second argument.
func PrepareCommitMsg(ctx context.Context, s *sessionstate.Env, file, source string) error {
	if s.Committing {
		return nil
	}
	transcript.ReadOpenTurns(ctx, s, agent.Event{})
	err := withRepair(ctx, s, func() error { return link.PrepareCommitMsg(ctx, s, file, source) })
	link.NoteNothingWaits(ctx, s)
	return err
}
