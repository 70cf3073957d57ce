package strategy

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
)

// CondenseResult says what CondenseSession has stored.
type CondenseResult struct {
	CheckpointID         id.CheckpointID
	SessionID            string
	CheckpointsCount     int      // number of steps in it
	FilesTouched         []string // sorted
	TotalTranscriptLines int
}

// condenseState is CondenseSession for the engine's own repository.
func (s *ManualCommitStrategy) condenseState(ctx context.Context, cp id.CheckpointID, state *SessionState) (*CondenseResult, error) {
	lock, err := s.store.Lock(ctx, state.SessionID)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	copied := *state
	o := &open{id: state.SessionID, state: &copied}
	_ = s.store.LoadSide(o.id, sideName, &o.side) // without it, the transcript is read again
	if err := s.wholeTalk(ctx, o); err != nil {
		return nil, err
	}
	rec, err := s.record(ctx, o, madeCommit{branch: s.branchName()}, cp)
	if err != nil {
		return nil, err
	}
	rec.Metadata.FilesTouched = state.FilesTouched
	author := s.author(ctx, o)
	err = checkpoint.WriteRecord(ctx, s.repo, checkpoint.Record{ID: cp, Strategy: s.name(), Branch: s.branchName(),
		Sessions: []checkpoint.SessionRecord{rec}, EphemeralBranch: s.shadowRef(baseOf(o))[len("refs/heads/"):], Author: author})
	if err != nil {
		return nil, err
	}
	return &CondenseResult{CheckpointID: cp, SessionID: o.id.String(), CheckpointsCount: state.CheckpointCount,
		FilesTouched: union(state.FilesTouched), TotalTranscriptLines: o.side.Capture.Talk.Items()}, nil
}

// wholeTalk brings the session's conversation up to date, from the agent's file or from the
// newest step of the session.
func (s *ManualCommitStrategy) wholeTalk(ctx context.Context, o *open) error {
	err := s.advance(ctx, ctx, &o.side.Capture, o.state.AgentType, o.state.TranscriptPath, nil)
	if o.side.Capture.Talk != nil {
		return err
	}
	c, ok, rerr := s.repo.Reader(ctx).CommitOf(s.shadowRef(baseOf(o)))
	for n := 0; rerr == nil && ok && n < ancestorsMax; n++ {
		st := step{c, checkpoint.ParseStep(c.Message)}
		if st.info.Session == o.id && listed(st) {
			st.info.Transcript.Prefix = "any" // so that the step's transcript is read in any case
			if rerr = s.talkAt(ctx, o, st); rerr == nil && o.side.Capture.Talk != nil && o.side.Capture.Talk.Lines > 0 {
				return nil
			}
		}
		if len(c.Parents) == 0 {
			break
		}
		c, rerr = s.repo.Reader(ctx).Commit(c.Parents[0])
	}
	return errors.Join(errors.New("no transcript, live or in a step"), err, rerr)
}

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
	Files []KeptFile // files that were left out, if others were committed
}

func (e *NotCommittedError) Error() string {
	if e.Why != "" {
		return "not committed: " + e.Why
	}
	return fmt.Sprintf("not committed: %s: %s", e.Files[0].Path, e.Files[0].Why)
}

// SaveChanges commits these files, and no others, on the current branch, as the user's own git
// would, and writes the commit's checkpoint. Without a change to any of them it does nothing.
func (a *ManualCommitStrategy) SaveChanges(ctx SaveContext) error {
	return a.saveChanges(context.Background(), ctx)
}

func (a *ManualCommitStrategy) saveChanges(ctx context.Context, sc SaveContext) error {
	sid, err := id.ParseSessionID(sc.SessionID)
	if err != nil {
		return fmt.Errorf("save changes: %w", err)
	}
	if sc.TranscriptPath == "" && sc.MetadataDirAbs != "" {
		sc.TranscriptPath = filepath.Join(sc.MetadataDirAbs, checkpoint.TranscriptName)
	}
	var touched []string
	for _, list := range [][]string{sc.ModifiedFiles, sc.NewFiles, sc.DeletedFiles} {
		for _, p := range list {
			rel, ok := a.relative(p)
			if !ok || git.ValidPath(rel) != nil {
				return fmt.Errorf("save changes: %q is not in the worktree", p)
			}
			touched = append(touched, pathText(rel))
		}
	}
	err = a.inSession(ctx, sid, func(o *open) error {
		if _, err := a.arrive(ctx, o, agent.Event{AgentType: sc.AgentType, TranscriptPath: sc.TranscriptPath, SessionID: sid}); err != nil {
			return err
		}
		if err := a.readWhatIsThere(ctx, o); err != nil { // for the subject
			return err
		}
		o.side.Auto.Subject = redact.Text(sc.CommitMessage)
		o.state.TouchFiles(touched...)
		return nil
	})
	if err == nil {
		err = a.commitSession(ctx, sid, always)
	}
	if err != nil {
		return fmt.Errorf("save changes of session %s: %w", sid, err)
	}
	return a.notCommitted(sid)
}

// notCommitted returns a NotCommittedError if some of the session's work is not committed after an
// attempt.
func (a *ManualCommitStrategy) notCommitted(sid id.SessionID) error {
	var sd side
	if err := a.store.LoadSide(sid, sideName, &sd); err != nil {
		return err
	}
	if sd.Auto.Waits != "" || len(sd.Auto.Held) > 0 {
		return &NotCommittedError{Why: sd.Auto.Waits, Files: sd.Auto.Held}
	}
	return nil
}
