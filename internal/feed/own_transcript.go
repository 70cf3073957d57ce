package feed

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/durable"
)

// recordEvent records an event's prompt and answer if neither the agent nor the caller keeps a
// transcript.
func (s *eventRun) recordEvent() error {
	ev := s.ev
	own := filepath.Join(s.dir, ownTranscriptName)
	if s.OwnTranscript != "" || ev.TranscriptPath != "" || s.pos.Main.Path != "" && s.pos.Main.Path != own || keepsTranscripts(ev.AgentType) {
		return nil
	}
	if ev.Lines != nil || agents.HasOwnFormat(ev.AgentType) {
		return s.keepLines(own)
	}
	var lines []byte
	add := func(l agent.TranscriptLine) {
		l.Time = s.Now().UTC().Format(time.RFC3339)
		lines = append(lines, l.Encode()...)
	}
	// The end of a turn may repeat its prompt.
	asked := s.clean(ev.Prompt)
	if asked != "" && asked != s.pos.Asked {
		add(agent.TranscriptLine{Role: "user", Text: asked})
	}
	if ev.Type == agent.TurnStart || ev.Type == agent.TurnEnd {
		s.pos.Asked, s.changed = asked, true
	}
	if ev.Type == agent.TurnEnd {
		s.pos.Asked = ""
	}
	if len(ev.Files) > 0 {
		add(agent.TranscriptLine{Role: "tool", Name: "write", Files: ev.Files})
	}
	if ev.Answer != "" {
		add(agent.TranscriptLine{Role: "assistant", Text: s.clean(ev.Answer)})
	}
	if lines == nil {
		return nil
	}
	f, err := durable.OpenOwn(own, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := wholeLines(f)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(lines, end)
	return err
}

// keepLines writes the conversation that the event carries. An empty one replaces nothing.
func (s *eventRun) keepLines(own string) error {
	var text []byte
	for line := range bytes.Lines(s.ev.Lines) {
		text = append(append(text, s.Redact(bytes.TrimSuffix(line, []byte("\n")))...), '\n')
	}
	if len(text) == 0 {
		return nil
	}
	return durable.WriteFile(own, text, 0o600)
}

// clean returns text without secrets.
func (s *eventRun) clean(text string) string { return string(s.Redact([]byte(text))) }

// keepsTranscripts reports whether an agent keeps transcripts, even if an event does not name one.
func keepsTranscripts(t agent.AgentType) bool {
	return agents.For(t).Profile().KeepsTranscripts
}
