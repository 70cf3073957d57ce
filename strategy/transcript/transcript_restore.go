package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"entire/agent"
	"entire/agent/agents"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/redact"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// errHoldsMore is returned for a transcript that is not replaced because the file holds more than
// the checkpoint.
var errHoldsMore = errors.New("holds more than the checkpoint; kept")

// LogsPlan lists the transcripts to restore.
type LogsPlan struct {
	Sessions []PlannedLog
	Held     []PlannedLog // replaced only when forced, because the file holds more; also in Skipped
	Skipped  []string     // one line each: which session, and why
}

// PlannedLog is a transcript to be written to the file that the agent reads.
type PlannedLog struct {
	SessionID     string
	Agent         agent.AgentType
	Path          string
	Replaces      bool // a file is there, and will be kept beside it
	Prompt        string
	ResumeCommand string

	Transcript []byte
	inPlace    bool // the file already holds this transcript, secrets aside

	documents []agent.Document       // for an agent whose program keeps the conversation so; Path is that of the first
	present   func() ([]byte, error) // what they hold now, in the form of Transcript
}

// LogsOutcome is what was restored.
type LogsOutcome struct {
	Restored []RestoredSession
	Skipped  []string // one line each: which session, and why
}

// RestoredSession is a conversation that the agent can continue.
type RestoredSession struct {
	SessionID     string
	Path          string // of its transcript
	Agent         agent.AgentType
	Prompt        string
	ResumeCommand string
}

// PlanLogs finds which transcripts a checkpoint restores, and to which paths. A local transcript
// that holds more than the checkpoint is replaced only if force is set. Every path is inside the
// agent's own folder, whatever the metadata states. PlanLogs changes nothing.
func PlanLogs(ctx context.Context, s *sessionstate.Env, p step.RewindPoint, force bool) (*LogsPlan, error) {
	if p.CheckpointID.IsZero() {
		return nil, errors.New("not a logs-only rewind point")
	}
	reader := records.NewReader(s.Repo)
	rec, err := reader.Read(ctx, p.CheckpointID)
	if err != nil {
		return nil, fmt.Errorf("restore logs of %s: %w", p.CheckpointID, err)
	}
	plan := &LogsPlan{}
	for i, sess := range rec.Sessions {
		log, err := planLog(ctx, s, reader, p.CheckpointID, i, sess, force)
		if errors.Is(err, errHoldsMore) {
			plan.Held = append(plan.Held, log)
		}
		if err != nil {
			plan.Skipped = append(plan.Skipped, err.Error())
			continue
		}
		plan.Sessions = append(plan.Sessions, log)
	}
	return plan, nil
}

// planLog says where a stored transcript goes and what it replaces; nothing is written. Without force, a
// longer one there is kept.
func planLog(ctx context.Context, s *sessionstate.Env, reader *records.Reader, cp id.CheckpointID, i int, sess records.StoredSession, force bool) (PlannedLog, error) {
	if sess.Err != nil {
		return PlannedLog{}, fmt.Errorf("session %d: %w", i, sess.Err)
	}
	sid, err := id.ParseSessionID(sess.Metadata.SessionID)
	if err != nil {
		return PlannedLog{}, fmt.Errorf("session %d: %w", i, err)
	}
	a := agents.For(sess.Metadata.Agent)
	content, err := reader.Session(ctx, cp, i)
	switch {
	case content != nil && len(content.Transcript) > 0:
	case err != nil:
		return PlannedLog{}, fmt.Errorf("session %s: no transcript: %w", sid, err)
	default:
		return PlannedLog{}, fmt.Errorf("session %s: no transcript is stored", sid)
	}
	log, ok := Homes{Home: s.Home, Top: s.Repo.Top}.documentsLog(sess.Metadata.Agent, sid, content.Transcript)
	if !ok {
		log = PlannedLog{SessionID: sid.String(), Agent: sess.Metadata.Agent, Transcript: content.Transcript,
			Path: Home(ctx, s, a, sid, sess.Metadata.TranscriptPath, content.Transcript)}
	}
	if log.Path == "" {
		return PlannedLog{}, fmt.Errorf("session %s: where its agent %q looks for transcripts is not known here", sid, sess.Metadata.Agent)
	}
	log.Prompt, log.ResumeCommand = step.FirstPrompt(content.Prompts), a.ResumeCommand(sid)
	fi, err := os.Stat(log.Path)
	if err != nil {
		return log, nil
	}
	if !fi.Mode().IsRegular() {
		return PlannedLog{}, fmt.Errorf("session %s: %s is in the way, and no file", sid, log.Path)
	}
	if log.inPlace = log.isInPlace(); !force && !log.inPlace && hasMoreConversation(log, fi) {
		return log, fmt.Errorf("session %s: %s %w", sid, log.Path, errHoldsMore)
	}
	log.Replaces = !log.inPlace
	return log, nil
}

// isInPlace reports whether the file already holds the transcript, or the same transcript with its
// secrets.
func (log PlannedLog) isInPlace() bool {
	have, err := log.Present()
	if err != nil {
		return false
	}
	if bytes.Equal(have, log.Transcript) {
		return true
	}
	if newline := []byte("\n"); bytes.Count(have, newline) != bytes.Count(log.Transcript, newline) {
		return false // redaction never changes the number of lines
	}
	if agents.IsDocument(log.Agent, have) {
		return bytes.Equal(redact.JSON(have), redact.JSON(log.Transcript))
	}
	return bytes.Equal(redact.Lines(have), redact.Lines(log.Transcript)) // redact both: the rules may be newer than the stored text
}

// RestoreLogs carries out what PlanLogs finds. A file that is replaced is kept beside the new one.
func RestoreLogs(ctx context.Context, s *sessionstate.Env, p step.RewindPoint, force bool) (*LogsOutcome, error) {
	plan, err := PlanLogs(ctx, s, p, force)
	if err != nil {
		return nil, err
	}
	return plan.Restore(ctx, s), nil
}

// Restore carries out the plan.
func (plan *LogsPlan) Restore(ctx context.Context, s *sessionstate.Env) *LogsOutcome {
	out := &LogsOutcome{Skipped: plan.Skipped}
	for _, log := range plan.Sessions {
		if err := log.write(); err != nil {
			out.Skipped = append(out.Skipped, fmt.Sprintf("session %s: %v", log.SessionID, err))
			continue
		}
		out.Restored = append(out.Restored, log.session())
		sid, err := id.ParseSessionID(log.SessionID)
		if err == nil {
			err = NoteContinued(ctx, s, sid, log.Agent, log.Transcript)
		}
		if err != nil {
			s.Log.Warn("not noted what checkpoints have of a conversation", "session_id", log.SessionID, "err", err)
		}
	}
	return out
}

func (log PlannedLog) session() RestoredSession {
	return RestoredSession{log.SessionID, log.Path, log.Agent, log.Prompt, log.ResumeCommand}
}

func (log PlannedLog) write() error {
	if log.inPlace {
		return nil
	}
	if log.Replaces {
		if err := keepCopy(log.Path); err != nil {
			return err
		}
	}
	if log.documents != nil {
		return log.writeDocuments()
	}
	return durable.WriteFile(log.Path, log.Transcript, 0o600)
}

// Present returns the conversation that the agent has now, in the form of the plan's transcript.
func (log PlannedLog) Present() ([]byte, error) {
	if log.present != nil {
		return log.present()
	}
	return durable.Read(log.Path, agent.MaxTranscript)
}
