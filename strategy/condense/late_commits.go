package condense

import (
	"context"
	"slices"

	"entire/checkpoint/metadata"
	"entire/id"
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

// Late writes the checkpoint of a commit that was undecided until the session's transcript told of its work, or adds the
// session to it if cm says that it exists: files are those of the commit that hold the work. Lines are attributed by
// what was known when the commit was made, and by what the transcript shows of the time before it. The session's steps,
// files and base stay as they are, because they have followed the commit already.
func Late(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, c sessionstate.UndecidedCommit, cm githead.MadeCommit, cp id.CheckpointID, files []string, sums []session.Summary) error {
	cm.Sessions, cm.Late, cm.Steps = sums, true, c.Steps
	rec := metadata.Record{ID: cp, Strategy: StrategyName(s), Branch: cm.Branch, CLIVersion: s.Version,
		Commit: cm.OID, CommitTree: cm.Tree, Committer: cm.Committer, Stating: s.Stating, Author: s.AuthorOf(ctx, o),
		Sessions: []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: o.ID.String()}}}}
	if cm.Unnamed {
		rec.UnnamedCommit = cm.OID
	}
	was := evidence.AsOf(s, o, c)
	ownership.Attribute(ctx, s, cm, []*sessionstate.LockedSession{was}, &rec)
	o.Engine.WaitingLines = was.Engine.WaitingLines
	o.State.TranscriptPath = s.TranscriptOf(o)
	if err := ReadTranscript(ctx, s, o); err != nil {
		s.Log.Warn("transcript not read for a commit", "session_id", o.ID.String(), "err", err)
	}
	sess, err := recordOf(ctx, s, o, cm, cp, files)
	if err != nil {
		return err
	}
	sess.Metadata.InitialAttribution = rec.Sessions[0].Metadata.InitialAttribution
	rec.Sessions[0] = sess
	if cm.ReusesCheckpoint {
		if err := mergeStored(ctx, s, &rec); err != nil {
			return err
		}
	}
	if err := metadata.WriteRecord(ctx, s.Repo, rec); err != nil {
		return err
	}
	s.Condensed(cp, []id.SessionID{o.ID})
	s.Log.Info("session condensed late", "session_id", o.ID.String(), "checkpoint_id", cp.String(), "commit", cm.OID.Short())
	o.Engine.UnlinkedCommits = slices.DeleteFunc(o.Engine.UnlinkedCommits, func(u sessionstate.UnlinkedCommit) bool { return u.Commit == cm.OID })
	if !slices.Contains(o.State.TurnCheckpointIDs, cp) {
		o.State.TurnCheckpointIDs = append(o.State.TurnCheckpointIDs, cp) // the turn's end completes it
	}
	return nil
}
