package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy/autocommit"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/turn"
	"entire/strategy/worktree"
)

// CondenseResult says what CondenseSession has stored.
type CondenseResult struct {
	CheckpointID         id.CheckpointID
	SessionID            string
	CheckpointsCount     int      // number of steps in it
	FilesTouched         []string // sorted
	TotalTranscriptLines int
}

// CondenseSession writes what a session has accumulated since its last checkpoint to the metadata
// branch as cp. It reads the live transcript or, if that is gone, the transcript of the last step.
// The state and the shadow branch stay as they are.
func CondenseSession(ctx context.Context, s *sessionstate.Env, cp id.CheckpointID, state *session.State) (*CondenseResult, error) {
	lock, err := s.Store.Lock(ctx, state.SessionID)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	copied := *state
	o := &sessionstate.LockedSession{ID: state.SessionID, State: &copied}
	_ = s.Store.LoadSide(o.ID, sessionstate.EngineStateName, &o.Engine) // without it, the transcript is read again
	if err := readWholeTranscript(ctx, s, o); err != nil {
		return nil, err
	}
	rec, err := condense.SessionRecord(ctx, s, o, githead.MadeCommit{Branch: evidence.BranchName(ctx, s)}, cp)
	if err != nil {
		return nil, err
	}
	rec.Metadata.FilesTouched = state.FilesTouched
	author := s.AuthorOf(ctx, o)
	err = metadata.WriteRecord(ctx, s.Repo, metadata.Record{ID: cp, Strategy: condense.StrategyName(s), Branch: evidence.BranchName(ctx, s),
		Sessions: []metadata.SessionRecord{rec}, EphemeralBranch: worktree.ShadowRef(s, step.BaseOf(o))[len("refs/heads/"):], Author: author, Stating: s.Stating})
	if err != nil {
		return nil, err
	}
	return &CondenseResult{CheckpointID: cp, SessionID: o.ID.String(), CheckpointsCount: state.CheckpointCount,
		FilesTouched: worktree.Union(state.FilesTouched), TotalTranscriptLines: o.Engine.Capture.Conversation.Items()}, nil
}

// readWholeTranscript brings the session's conversation up to date, from the agent's file or from the
// newest step of the session.
func readWholeTranscript(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) error {
	err := transcript.IngestTranscript(s, ctx, ctx, &o.Engine.Capture, o.State.AgentType, o.State.TranscriptPath, nil)
	if o.Engine.Capture.Conversation != nil {
		return err
	}
	c, ok, rerr := s.Repo.Reader(ctx).CommitOf(worktree.ShadowRef(s, step.BaseOf(o)))
	if rerr != nil || !ok {
		return errors.Join(errNoTranscript, err, rerr)
	}
	for st, werr := range step.Walk(ctx, s, c, step.AncestorsMax) {
		if rerr = werr; rerr == nil && st.Info.Session == o.ID && step.IsListed(st) {
			st.Info.Transcript.Prefix = "any" // so that the step's transcript is read in any case
			if rerr = transcript.RestoreConversationAt(ctx, s, o, st); rerr == nil && o.Engine.Capture.Conversation != nil && o.Engine.Capture.Conversation.Lines > 0 {
				return nil
			}
		}
		if rerr != nil {
			break
		}
	}
	return errors.Join(errNoTranscript, err, rerr)
}

var errNoTranscript = errors.New("no transcript, live or in a step")

// SaveContext describes a completed piece of an agent's work.
type SaveContext struct {
	SessionID string
	AgentType agent.AgentType

	// Paths of the files the agent changed, relative to the top of the worktree or absolute. The list
	// a file is in makes no difference: the version on disk is committed.
	ModifiedFiles []string
	NewFiles      []string
	DeletedFiles  []string

	// TranscriptPath is the agent's own file; where it is empty, full.jsonl in
	// MetadataDirAbs.
	TranscriptPath string
	MetadataDirAbs string

	CommitMessage string // the commit's subject; "" takes the last prompt's
}

// NotCommittedError is returned by SaveChanges if work could not be committed now. The work is
// kept, and the end of the session's next turn tries again.
type NotCommittedError struct {
	Why   string
	Files []sessionstate.KeptFile // files that were left out, if others were committed
}

func (e *NotCommittedError) Error() string {
	if e.Why != "" {
		return "not committed: " + e.Why
	}
	return fmt.Sprintf("not committed: %s: %s", e.Files[0].Path, e.Files[0].Why)
}

// SaveChanges commits these files, and no others, on the current branch, as the user's own git
// would, and writes the commit's checkpoint. Without a change to any of them it does nothing.
func SaveChanges(ctx context.Context, a *sessionstate.Env, sc SaveContext) error {
	sid, err := id.ParseSessionID(sc.SessionID)
	if err != nil {
		return fmt.Errorf("save changes: %w", err)
	}
	if sc.TranscriptPath == "" && sc.MetadataDirAbs != "" {
		sc.TranscriptPath = filepath.Join(sc.MetadataDirAbs, chunk.TranscriptName)
	}
	var touched []string
	for _, list := range [][]string{sc.ModifiedFiles, sc.NewFiles, sc.DeletedFiles} {
		for _, p := range list {
			rel, ok := transcript.RepoPath(a, p)
			if !ok || git.ValidPath(rel) != nil {
				return fmt.Errorf("save changes: %q is not in the worktree", p)
			}
			touched = append(touched, sessionstate.EncodePath(rel))
		}
	}
	err = a.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) error {
		if _, err := turn.EnterSession(ctx, a, o, agent.Event{AgentType: sc.AgentType, TranscriptPath: sc.TranscriptPath, SessionID: sid}); err != nil {
			return err
		}
		if err := turn.TryReadTranscript(ctx, a, o); err != nil { // for the subject
			return err
		}
		o.Engine.AutoCommit.Subject = redact.Text(sc.CommitMessage)
		o.State.TouchFiles(touched...)
		return nil
	})
	if err == nil {
		err = autocommit.CommitSession(ctx, a, sid, autocommit.RetryAlways)
	}
	if err != nil {
		return fmt.Errorf("save changes of session %s: %w", sid, err)
	}
	return notCommitted(a, sid)
}

// notCommitted returns a NotCommittedError if some of the session's work is not committed after an
// attempt.
func notCommitted(a *sessionstate.Env, sid id.SessionID) error {
	var sd sessionstate.EngineState
	if err := a.Store.LoadSide(sid, sessionstate.EngineStateName, &sd); err != nil {
		return err
	}
	if sd.AutoCommit.WaitReason != "" || len(sd.AutoCommit.LeftOut) > 0 {
		return &NotCommittedError{Why: sd.AutoCommit.WaitReason, Files: sd.AutoCommit.LeftOut}
	}
	return nil
}
