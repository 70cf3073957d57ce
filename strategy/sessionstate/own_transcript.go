package sessionstate

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/redact"
	"entire/session"
)

// OwnTranscriptName is the file beside the session's state that holds the transcript of an agent which
// keeps none.
const OwnTranscriptName = "talk.jsonl"

func (s *Env) ownTranscriptPath(o *LockedSession) string { return s.OwnTranscript(o.ID) }

// OwnTranscript returns the path of the transcript kept for a session whose agent keeps none.
// Usually there is no such file.
func (s *Env) OwnTranscript(sid id.SessionID) string {
	return filepath.Join(s.Store.Dir(sid), OwnTranscriptName)
}

// KeepsTranscript reports a session whose transcript this program keeps, from what events bring. It lacks what the agent
// does in an open turn, except what was told before a command that may commit.
func (s *Env) KeepsTranscript(o *LockedSession) bool {
	path := o.State.TranscriptPath
	return !agents.For(o.State.AgentType).Profile().KeepsTranscripts && (path == "" || path == s.ownTranscriptPath(o))
}

// hasOwnFormat reports whether the agent's transcripts have a format of their own.
func hasOwnFormat(t agent.AgentType) bool {
	return agents.For(t).Profile().KeepsTranscripts || agents.HasOwnFormat(t)
}

// AppendOwnTranscript appends an event's prompt, files and answer to the session's own transcript. It does
// nothing for an agent that keeps a transcript, or whose event names one or brings it, nor where the repository
// seals, because the file is in clear.
func (s *Env) AppendOwnTranscript(o *LockedSession, ev agent.Event) error {
	path := s.ownTranscriptPath(o)
	if s.Sealing() {
		return nil
	}
	if ev.Lines != nil || ev.TranscriptPath != "" || hasOwnFormat(o.State.AgentType) || o.State.TranscriptPath != "" && o.State.TranscriptPath != path {
		return nil
	}
	var lines []byte
	add := func(l agent.TranscriptLine) {
		l.Time = s.Now().UTC().Format(time.RFC3339)
		lines = append(lines, l.Encode()...)
	}
	// Two sets of hooks may report one prompt, and the end of a turn may repeat it.
	repeated := o.State.Phase == session.PhaseActive && o.Engine.Prompt == redact.Text(ev.Prompt)
	if p := redact.Text(ev.Prompt); p != "" && !repeated {
		add(agent.TranscriptLine{Role: "user", Text: p})
	}
	if len(ev.Files) > 0 {
		add(agent.TranscriptLine{Role: "tool", Name: "write", Files: ev.Files})
	}
	if ev.Answer != "" {
		add(agent.TranscriptLine{Role: "assistant", Text: redact.Text(ev.Answer)})
	}
	if lines == nil {
		return nil
	}
	have, err := durable.Read(path, agent.MaxTranscript)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the session's own transcript: %w", err)
	}
	if err := durable.WriteFile(path, append(have, lines...), 0o600); err != nil {
		return fmt.Errorf("write the session's own transcript: %w", err)
	}
	o.State.TranscriptPath = path
	return nil
}

// CheckpointPrompts returns the prompts that a checkpoint stores: all that the transcript shows of the
// session; if it shows none, those that hooks reported. With auto-commit it returns those of the
// turns being committed.
func (s *Env) CheckpointPrompts(o *LockedSession) []string {
	if s.Auto {
		return s.uncommittedPrompts(o)
	}
	if t := o.Engine.Capture.Conversation; t != nil {
		if p := agent.TypedPrompts(t.Prompts); len(p) > 0 {
			return p
		}
	}
	return s.TurnPrompts(o)
}

// uncommittedPrompts returns the prompts of the turn, and of earlier turns whose work is still
// uncommitted.
func (s *Env) uncommittedPrompts(o *LockedSession) []string {
	if t := o.Engine.Capture.Conversation; t != nil && o.Engine.AutoCommit.Since != nil {
		if p := t.PromptsSince(*o.Engine.AutoCommit.Since); len(p) > 0 {
			return p
		}
	}
	return s.TurnPrompts(o)
}
