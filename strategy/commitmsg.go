package strategy

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/checkpoint"
	"entire/internal/durable"
)

// replaceMessage replaces the message file in one operation, so that a killed hook leaves git the
// old message.
func replaceMessage(file string, msg []byte) error {
	perm := fs.FileMode(0o644)
	if fi, err := os.Stat(file); err == nil {
		perm = fi.Mode().Perm()
	}
	return durable.WriteCache(file, msg, perm)
}

// CommitMsg removes our trailer from a message that has nothing else, so that git still refuses
// an empty message.
func (s *ManualCommitStrategy) CommitMsg(ctx context.Context, file string) error {
	msg, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read commit message: %w", err)
	}
	if !bytes.Contains(msg, []byte(checkpoint.TrailerCheckpoint)) {
		return nil
	}
	form, err := s.messageForm(ctx, msg)
	if err != nil {
		return err
	}
	text, comments := msg, form.CommentPrefix
	if keeps, err := s.keepsComments(ctx); err != nil {
		return err
	} else if keeps {
		text, _, _ = bytes.Cut(msg, []byte(comments+" "+scissorsMark))
		comments = checkpoint.NoComments
	}
	if !checkpoint.IsOtherwiseEmpty(text, comments) {
		return nil
	}
	return replaceMessage(file, checkpoint.RemoveCheckpointTrailer(msg))
}

// keepsComments reports whether git keeps lines that look like comments in messages, as
// commit.cleanup says.
func (s *ManualCommitStrategy) keepsComments(ctx context.Context) (bool, error) {
	conf, err := s.repo.Config(ctx, "commit.cleanup")
	switch conf["commit.cleanup"] {
	case "verbatim", "whitespace", "scissors":
		return true, err
	}
	return false, err
}

// inSequence reports whether a rebase, cherry-pick or revert is in progress, whose commits bring
// their own messages.
func (s *ManualCommitStrategy) inSequence() bool {
	for _, name := range []string{"rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		if _, err := os.Lstat(filepath.Join(s.repo.GitDir, name)); err == nil {
			return true
		}
	}
	return false
}

// scissorsMark is the line at which git cuts off a message.
const scissorsMark = "------------------------ >8 ------------------------"

// readMessage reads a commit message and says how git will clean it up.
func (s *ManualCommitStrategy) readMessage(ctx context.Context, file string) (msg []byte, form checkpoint.MessageOptions, err error) {
	if msg, err = os.ReadFile(file); err != nil {
		return nil, form, fmt.Errorf("read commit message: %w", err)
	}
	form, err = s.messageForm(ctx, msg)
	return msg, form, err
}

// messageForm says how git will clean up the message: a message that goes to an editor ends in
// comments, another has none.
func (s *ManualCommitStrategy) messageForm(ctx context.Context, msg []byte) (checkpoint.MessageOptions, error) {
	// A sequence that goes on after a conflict removes comments without an editor.
	if s.NoEditor && !s.inSequence() && !bytes.Contains(msg, []byte(scissorsMark)) {
		return checkpoint.MessageOptions{CommentPrefix: checkpoint.NoComments}, nil
	}
	conf, err := s.repo.Config(ctx, "core.commentchar")
	return checkpoint.MessageOptions{Editor: true, CommentPrefix: checkpoint.CommentPrefix(msg, conf["core.commentchar"])}, err
}
