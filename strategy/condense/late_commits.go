package condense

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/ownership"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// noteUndecided notes a linked commit in a session in mid-turn whose work in it need not be known yet: another
// session's work is in it, or a person commits.
func noteUndecided(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, cm githead.MadeCommit, chosen bool) error {
	if !step.InTurn(o) || cm.Auto != nil || chosen && s.AgentShell {
		return nil
	}
	tip, _, err := s.Repo.Reader(ctx).CommitOf(worktree.ShadowRef(s, step.BaseOf(o)))
	if err == nil {
		evidence.NoteUndecided(s, o, cm, tip.OID)
	}
	return err
}

// LateCommit is a commit that was undecided until a session's transcript told of its work in it. Its Unnamed or its
// ReusesCheckpoint is set.
type LateCommit struct {
	githead.MadeCommit
	Undecided  sessionstate.UndecidedCommit
	Checkpoint id.CheckpointID
	Files      []string // that hold the work
}

// Late writes the checkpoints of a session's late commits, or adds the session to those that exist. It returns the
// commits that have one now. Lines are attributed by what was known when the commit was made, and by what the transcript
// shows of the time before it. The session's steps, files and base stay as they are, because they have followed the
// commits already. The transcript is not read: the event that goes on has to see what is new in it, and the turn's end
// completes the checkpoints.
func Late(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, commits []LateCommit, sums []session.Summary) (done []git.OID, err error) {
	o.State.TranscriptPath = s.TranscriptOf(o)
	var errs []error
	for _, c := range commits {
		was := evidence.AsOf(s, o, c.Undecided)
		rec := lateRecord(ctx, s, was, c, sums)
		o.Engine.WaitingLines = was.Engine.WaitingLines
		if err := storeLate(ctx, s, o, was, c, &rec); err != nil {
			errs = append(errs, fmt.Errorf("record commit %s: %w", c.OID.Short(), err))
			continue
		}
		done = append(done, c.OID)
	}
	return done, errors.Join(errs...)
}

// lateRecord returns a late commit's record with the owners of its lines. was is the session as it was then.
func lateRecord(ctx context.Context, s *sessionstate.Env, was *sessionstate.LockedSession, c LateCommit, sums []session.Summary) metadata.Record {
	cm := c.MadeCommit
	cm.Sessions, cm.Late, cm.Steps = sums, true, c.Undecided.Steps
	rec := newRecord(s, cm, c.Checkpoint)
	rec.Author = s.AuthorOf(ctx, was)
	rec.Sessions = []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: was.ID.String()}}}
	ownership.Attribute(ctx, s, cm, []*sessionstate.LockedSession{was}, &rec)
	return rec
}

// storeLate completes a late commit's record with what is stored of the conversation, and stores it.
func storeLate(ctx context.Context, s *sessionstate.Env, o, was *sessionstate.LockedSession, c LateCommit, rec *metadata.Record) error {
	sess, err := recordOf(ctx, s, was, c.MadeCommit, rec.ID, c.Files)
	if err != nil {
		return err
	}
	sess.Metadata.InitialAttribution = rec.Sessions[0].Metadata.InitialAttribution
	rec.Sessions[0] = sess
	if err := mergeStored(ctx, s, c.MadeCommit, rec); err != nil {
		return err
	}
	if err := metadata.WriteRecord(ctx, s.Repo, *rec); err != nil {
		return err
	}
	s.Condensed(rec.ID, []id.SessionID{o.ID})
	s.Log.Info("session condensed late", "session_id", o.ID.String(), "checkpoint_id", rec.ID.String(), "commit", c.OID.Short())
	o.Engine.UnlinkedCommits = slices.DeleteFunc(o.Engine.UnlinkedCommits, func(u sessionstate.UnlinkedCommit) bool { return u.Commit == c.OID })
	if !slices.Contains(o.State.TurnCheckpointIDs, rec.ID) {
		o.State.TurnCheckpointIDs = append(o.State.TurnCheckpointIDs, rec.ID) // the turn's end completes it
	}
	return nil
}
