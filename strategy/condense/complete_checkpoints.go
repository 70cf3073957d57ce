package condense

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"entire/checkpoint/metadata"
	"entire/id"
	"entire/session"
	"entire/strategy/ownership"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// Finalise gives the checkpoints that were made in the middle of the turn the transcript as it is
// now. Checkpoints for which this fails stay in the state, and the next event tries again.
func Finalise(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) error {
	var err error
	if len(o.State.TurnCheckpointIDs) > 0 {
		err = ReadTranscript(ctx, s, o)
	}
	if o.Interrupted { // a person may have written what was committed after the last sign of the agent's work
		o.Engine.WaitingLines = slices.DeleteFunc(o.Engine.WaitingLines, func(w sessionstate.WaitingLines) bool {
			return err != nil || w.Noted == 0 || w.Noted > o.LastWork().UnixMilli()
		})
	}
	if len(o.State.TurnCheckpointIDs) == 0 {
		return nil
	}
	if err != nil {
		s.Log.Error("checkpoints not completed, will be tried again", "session_id", o.ID.String(), "err", err)
		return nil
	}
	if len(o.Engine.WaitingLines) > 0 {
		transcript.ReadSubagentUsage(s, o) // their calls may have written the lines
	}
	c := &o.Engine.Capture
	fin := metadata.Finalization{Session: o.ID.String(), Transcript: c.Log.Entries(), ContentHash: c.Log.ContentHash(),
		Messages: transcript.CheckpointMessages(ctx, s, o), Author: s.AuthorOf(ctx, o), Stating: s.Stating}
	prompts := s.CheckpointPrompts(o)
	fin.Prompts, fin.Context = metadata.JoinPrompts(prompts), metadata.ContextMarkdown(prompts)
	var retry []id.CheckpointID
	var errs []error
	for _, cp := range o.State.TurnCheckpointIDs {
		fin.ID = cp
		fin.Extra, fin.AgentLines = ownership.CompleteRecord(ctx, s, o, cp)
		err := metadata.FinalizeTranscript(ctx, s.Repo, fin)
		switch {
		case errors.Is(err, metadata.ErrCheckpointNotFound), errors.Is(err, metadata.ErrSessionNotFound):
			s.Log.Warn("checkpoint to complete is gone", "checkpoint_id", cp.String())
		case err != nil:
			retry = append(retry, cp)
			errs = append(errs, fmt.Errorf("complete checkpoint %s: %w", cp, err))
		default:
			transcript.SavePacked(s, o)
		}
	}
	o.State.TurnCheckpointIDs = retry
	o.Engine.WaitingLines = slices.DeleteFunc(o.Engine.WaitingLines, func(w sessionstate.WaitingLines) bool { return !slices.Contains(retry, w.Checkpoint) })
	if len(retry) == 0 && c.Conversation != nil {
		startAfterTurn(o)
	}
	if len(errs) > 0 {
		s.Log.Error("checkpoints not completed, will be tried again", "err", errors.Join(errs...))
	}
	return nil
}

// startAfterTurn lets the session's next checkpoint begin after the turn, unless work of the turn is
// still uncommitted: that checkpoint begins where the last was made. Tokens used since the last
// checkpoint count for the next one.
func startAfterTurn(o *sessionstate.LockedSession) {
	if len(o.State.FilesTouched) > 0 {
		return
	}
	t := o.Engine.Capture.Conversation
	used, agents := o.Engine.CondensedMark.Usage, o.Engine.CondensedMark.Agents
	o.State.CheckpointTranscriptStart, o.Engine.CondensedMark = t.Items(), t.Mark()
	o.Engine.Capture.Calls = nil
	o.Engine.CondensedMark.Usage, o.Engine.CondensedMark.Agents = used, agents
}

// CompleteLate completes the checkpoints that the ends of earlier turns could not complete.
func CompleteLate(ctx context.Context, s *sessionstate.Env, sums []session.Summary) {
	for _, sum := range sums {
		if sum.TurnCheckpointIDs == 0 || sum.Phase == session.PhaseActive {
			continue
		}
		err := s.UpdateSession(ctx, sum.ID, func(o *sessionstate.LockedSession) error {
			if o.IsNew {
				return session.ErrNotFound
			}
			return Finalise(ctx, s, o)
		})
		if err != nil {
			s.Log.Error("checkpoints not completed", "session_id", sum.ID.String(), "err", err)
		}
	}
}

// homeRelative returns a transcript's path relative to the home directory, as metadata stores it;
// "" if it is outside.
func homeRelative(s *sessionstate.Env, path string) string {
	if s.Home == "" || path == "" || filepath.Base(path) == sessionstate.OwnTranscriptName {
		return ""
	}
	rel, err := filepath.Rel(s.Home, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return strings.TrimPrefix(filepath.ToSlash(rel), "./")
}
