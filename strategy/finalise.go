package strategy

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"entire/checkpoint"
	"entire/id"
	"entire/session"
)

// finalise gives the checkpoints that were made in the middle of the turn the transcript as it is
// now. Checkpoints for which this fails stay in the state, and the next event tries again.
func (s *ManualCommitStrategy) finalise(ctx context.Context, o *open) error {
	if len(o.state.TurnCheckpointIDs) == 0 {
		return nil
	}
	if err := s.readTranscript(ctx, o); err != nil {
		s.Log.Error("checkpoints not completed, will be tried again", "session_id", o.id.String(), "err", err)
		return nil
	}
	c := &o.side.Capture
	fin := checkpoint.Finalization{Session: o.id.String(), Transcript: c.Log.Entries(), ContentHash: c.Log.ContentHash(),
		Messages: s.messages(ctx, o), Author: s.author(ctx, o)}
	prompts := s.prompts(o)
	fin.Prompts, fin.Context = checkpoint.JoinPrompts(prompts), checkpoint.ContextMarkdown(prompts)
	var retry []id.CheckpointID
	var errs []error
	for _, cp := range o.state.TurnCheckpointIDs {
		fin.ID, fin.Extra = cp, s.refined(ctx, o, cp)
		err := checkpoint.FinalizeTranscript(ctx, s.repo, fin)
		switch {
		case errors.Is(err, checkpoint.ErrCheckpointNotFound), errors.Is(err, checkpoint.ErrSessionNotFound):
			s.Log.Warn("checkpoint to complete is gone", "checkpoint_id", cp.String())
		case err != nil:
			retry = append(retry, cp)
			errs = append(errs, fmt.Errorf("complete checkpoint %s: %w", cp, err))
		default:
			s.keepPacked(o)
		}
	}
	o.state.TurnCheckpointIDs = retry
	if len(retry) == 0 && c.Talk != nil {
		s.finalised(o)
	}
	if len(errs) > 0 {
		s.Log.Error("checkpoints not completed, will be tried again", "err", errors.Join(errs...))
	}
	return nil
}

// finalised lets the session's next checkpoint begin after the turn, unless work of the turn is
// still uncommitted: that checkpoint begins where the last was made. Tokens used since the last
// checkpoint count for the next one.
func (s *ManualCommitStrategy) finalised(o *open) {
	if len(o.state.FilesTouched) > 0 {
		return
	}
	t := o.side.Capture.Talk
	used, agents := o.side.Condensed.Usage, o.side.Condensed.Agents
	o.state.CheckpointTranscriptStart, o.side.Condensed = t.Items(), t.Mark()
	o.side.Capture.Calls = nil
	o.side.Condensed.Usage, o.side.Condensed.Agents = used, agents
}

// completeLate completes the checkpoints that the ends of earlier turns could not complete.
func (s *ManualCommitStrategy) completeLate(ctx context.Context, sums []session.Summary) {
	for _, sum := range sums {
		if sum.TurnCheckpointIDs == 0 || sum.Phase == session.PhaseActive {
			continue
		}
		err := s.inSession(ctx, sum.ID, func(o *open) error {
			if o.isNew {
				return session.ErrNotFound
			}
			return s.finalise(ctx, o)
		})
		if err != nil {
			s.Log.Error("checkpoints not completed", "session_id", sum.ID.String(), "err", err)
		}
	}
}

// homeRelative returns a transcript's path relative to the home directory, as metadata stores it;
// "" if it is outside.
func (s *ManualCommitStrategy) homeRelative(path string) string {
	if s.Home == "" || path == "" || filepath.Base(path) == ownLogName {
		return ""
	}
	rel, err := filepath.Rel(s.Home, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return strings.TrimPrefix(filepath.ToSlash(rel), "./")
}
