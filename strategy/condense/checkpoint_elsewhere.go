package condense

import (
	"context"
	"errors"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/session"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/ownership"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// Elsewhere writes the checkpoint of a commit that holds work of sessions of other worktrees. Their
// steps, files and base stay as they are, because nothing was committed where they work.
func Elsewhere(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, cp id.CheckpointID, chosen []id.SessionID, sums []session.Summary) error {
	if stored, err := records.NewReader(s.Repo).Exists(ctx, []id.CheckpointID{cp}); err != nil || stored[cp] && !cm.ReusesCheckpoint {
		return err // an earlier call, killed since, has stored it
	}
	open, err := OpenAll(ctx, s, chosen)
	if err != nil || len(open) == 0 {
		return err
	}
	defer CloseAll(open)
	cm.Sessions, cm.Elsewhere = sums, true
	rec := newRecord(s, cm, cp)
	for _, o := range open {
		tryReadTranscript(ctx, s, o)
		files, err := evidence.WorkElsewhere(ctx, s, o, cm.Changes)
		if err != nil {
			return err
		}
		if len(files) == 0 { // only what its calls said shows the work
			files = sessionstate.EncodePaths(step.Paths(cm.Changes))
		}
		sess, err := recordOf(ctx, s, o, cm, cp, files)
		if err != nil {
			return err
		}
		rec.Sessions = append(rec.Sessions, sess)
		rec.Author = s.AuthorOf(ctx, o)
		rec.EphemeralBranch = evidence.ShadowElsewhere(o)[len("refs/heads/"):]
	}
	examined := evidence.ExamineElsewhere(s, open[0], true)
	ownership.Attribute(ctx, s, cm, open, &rec)
	examined()
	if err := mergeStored(ctx, s, cm, &rec); err != nil {
		return err
	}
	if err := metadata.WriteRecord(ctx, s.Repo, rec); err != nil {
		return err
	}
	s.Condensed(cp, chosen)
	var errs []error
	for _, o := range open {
		s.Log.Info("session of another worktree condensed", "session_id", o.ID.String(), "checkpoint_id", cp.String(), "commit", cm.OID.Short())
		transcript.SavePacked(s, o)
		continueAfter(ctx, s, o, cm, cp)
		errs = append(errs, s.SaveSession(ctx, o))
	}
	return errors.Join(errs...)
}

// continueAfter notes the checkpoint in a session of another worktree. If the session has nothing pending
// there, its next checkpoint begins after this one.
func continueAfter(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, cm githead.MadeCommit, cp id.CheckpointID) {
	if step.InTurn(o) || o.Engine.TranscriptLate {
		o.State.TurnCheckpointIDs = append(o.State.TurnCheckpointIDs, cp)
	}
	t := o.Engine.Capture.Conversation
	if t == nil || len(o.State.FilesTouched) > 0 {
		return
	}
	o.State.CheckpointTranscriptStart = nextPartStart(ctx, s, o, cm)
	o.Engine.CondensedMark, o.Engine.CondensedSubagents, o.Engine.CondensedTurn = t.Mark(), transcript.KnownSubagentUsage(o), o.Engine.TurnNumber
}
