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
// commits already.
func Late(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, commits []LateCommit, sums []session.Summary) (done []git.OID, err error) {
	recs := make([]metadata.Record, len(commits))
	for i, c := range commits { // before the transcript is read: what was read has no time
		recs[i] = lateRecord(ctx, s, o, c, sums)
	}
	o.State.TranscriptPath = s.TranscriptOf(o)
	if err := ReadTranscript(ctx, s, o); err != nil {
		s.Log.Warn("transcript not read for a commit", "session_id", o.ID.String(), "err", err)
	}
	var errs []error
	for i, c := range commits {
		if err := storeLate(ctx, s, o, c, &recs[i]); err != nil {
			errs = append(errs, fmt.Errorf("record commit %s: %w", c.OID.Short(), err))
			continue
		}
		done = append(done, c.OID)
	}
	return done, errors.Join(errs...)
}

// lateRecord returns a late commit's record with the owners of its lines.
func lateRecord(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, c LateCommit, sums []session.Summary) metadata.Record {
	cm := c.MadeCommit
	cm.Sessions, cm.Late, cm.Steps = sums, true, c.Undecided.Steps
	rec := metadata.Record{ID: c.Checkpoint, Strategy: StrategyName(s), Branch: cm.Branch, CLIVersion: s.Version,
		Commit: cm.OID, CommitTree: cm.Tree, Committer: cm.Committer, Stating: s.Stating, Author: s.AuthorOf(ctx, o),
		Sessions: []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: o.ID.String()}}}}
	if cm.Unnamed {
		rec.UnnamedCommit = cm.OID
	}
	was := evidence.AsOf(s, o, c.Undecided)
	ownership.Attribute(ctx, s, cm, []*sessionstate.LockedSession{was}, &rec)
	o.Engine.WaitingLines = was.Engine.WaitingLines
	return rec
}

// storeLate completes a late commit's record with the conversation and stores it.
func storeLate(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, c LateCommit, rec *metadata.Record) error {
	sess, err := recordOf(ctx, s, o, c.MadeCommit, rec.ID, c.Files)
	if err != nil {
		return err
	}
	sess.Metadata.InitialAttribution = rec.Sessions[0].Metadata.InitialAttribution
	rec.Sessions[0] = sess
	if c.ReusesCheckpoint {
		if err := mergeStored(ctx, s, rec); err != nil {
			return err
		}
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
