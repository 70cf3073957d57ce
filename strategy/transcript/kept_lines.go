package transcript

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/durable"
	"entire/session"
	"entire/strategy/sessionstate"
)

// removedName is the side file that lists the messages that rewinds have taken back, for an agent that
// still has them.
const removedName = "removed.json"

// KeepLines writes the conversation that an event carries to the file beside the session's state. It
// leaves out what rewinds have taken back, and keeps a beginning that the program no longer has. An empty
// conversation replaces nothing, because the agent's program may have failed to read its own. Where the
// repository seals, nothing is written, because the file is in clear.
func KeepLines(s *sessionstate.Env, o *sessionstate.LockedSession, ev agent.Event) error {
	path := s.OwnTranscript(o.ID)
	if s.Sealing() || ev.Lines == nil && o.State.TranscriptPath != path {
		return nil
	}
	removed, err := noteRemoved(s, o, path)
	if err != nil {
		return fmt.Errorf("find the messages that rewinds took back: %w", err)
	}
	if ev.Lines == nil {
		return nil
	}
	o.State.TranscriptPath = path
	f, _ := agents.For(o.State.AgentType).(agent.Forgetter)
	var text []byte
	for line := range bytes.Lines(ev.Lines) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if f != nil && slices.Contains(removed, f.MessageID(line)) {
			continue
		}
		text = append(append(text, s.Redact(line)...), '\n')
	}
	have, err := durable.Read(path, agent.MaxTranscript)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read the session's own transcript: %w", err)
	case len(text) == 0, bytes.Equal(have, text):
		return nil
	case ev.Partial && f != nil:
		text = withOlder(f, have, text)
	default:
		text = append(lostBeginning(o.State.AgentType, have, text), text...)
	}
	if bytes.Equal(have, text) {
		return nil
	}
	if err := durable.WriteFile(path, text, 0o600); err != nil {
		return fmt.Errorf("write the session's own transcript: %w", err)
	}
	return nil
}

// withOlder returns the lines of have in their order, each replaced by the line of text with the same message,
// and then the lines of text whose messages have does not have.
func withOlder(f agent.Forgetter, have, text []byte) []byte {
	name := func(line []byte) string { return cmp.Or(f.MessageID(line), string(line)) }
	newer := map[string][]byte{}
	for line := range bytes.Lines(text) {
		newer[name(line)] = line
	}
	out := make([]byte, 0, len(have)+len(text))
	for line := range bytes.Lines(have) {
		if now, ok := newer[name(line)]; ok {
			delete(newer, name(line))
			line = now
		}
		out = append(out, line...)
	}
	for line := range bytes.Lines(text) {
		if _, ok := newer[name(line)]; ok {
			out = append(out, line...)
		}
	}
	return out
}

// noteRemoved returns the messages that are in files that rewinds kept, and not in the transcript.
func noteRemoved(s *sessionstate.Env, o *sessionstate.LockedSession, path string) ([]string, error) {
	f, ok := agents.For(o.State.AgentType).(agent.Forgetter)
	if !ok {
		return nil, nil
	}
	var before []string
	if err := s.Store.LoadSide(o.ID, removedName, &before); err != nil && !errors.Is(err, session.ErrNotFound) {
		return nil, err
	}
	files, err := TranscriptAndKept(path)
	if err != nil || len(files) == 1 && len(before) == 0 {
		return nil, err
	}
	there := messageIDs(f, path)
	var removed []string
	add := func(ids []string) {
		for _, name := range ids {
			if !slices.Contains(there, name) && !slices.Contains(removed, name) {
				removed = append(removed, name)
			}
		}
	}
	add(before)
	for _, kept := range files[1:] {
		add(messageIDs(f, kept))
	}
	if slices.Equal(removed, before) {
		return removed, nil
	}
	return removed, s.Store.SaveSide(o.ID, removedName, removed)
}

// messageIDs returns the names of the messages in a file, none if it cannot be read.
func messageIDs(f agent.Forgetter, path string) []string {
	text, err := durable.Read(path, agent.MaxTranscript)
	if err != nil {
		return nil
	}
	var out []string
	for line := range bytes.Lines(text) {
		if name := f.MessageID(line); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// RemovedMessages returns what the hook at a turn's start prints for an agent that still has messages
// which rewinds took back; nil for nothing.
func RemovedMessages(s *sessionstate.Env, ev agent.Event) []byte {
	f, ok := agents.For(ev.AgentType).(agent.Forgetter)
	if !ok {
		return nil
	}
	var removed []string
	if s.Store.LoadSide(ev.SessionID, removedName, &removed) != nil {
		return nil
	}
	return f.Removed(removed)
}
