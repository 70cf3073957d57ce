package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"entire/agent"
	"entire/agent/generic"
)

type eventQuestion struct {
	Version int             `json:"version"`
	Verb    string          `json:"verb"`
	Payload json.RawMessage `json:"payload"` // what the agent gave the hook: the JSON value, or a text if it is none
	Cwd     string          `json:"cwd"`
}

// Event asks the plug-in what a hook's payload means. Its answer has the fields of the generic
// agent's payload and "event", the event's name; without one, nothing happened that is of interest,
// and the event's Type is "".
func (p *Plugin) Event(ctx context.Context, verb string, payload []byte, cwd string, now time.Time) (agent.Event, error) {
	q := eventQuestion{Version: protocolVersion, Verb: verb, Payload: payload, Cwd: cwd}
	if payload = bytes.TrimSpace(payload); !json.Valid(payload) {
		text, err := json.Marshal(string(payload))
		if err != nil {
			return agent.Event{}, err
		}
		q.Payload = text
	}
	var answer map[string]json.RawMessage
	if err := p.ask(ctx, "parse-event", eventTimeout, q, &answer); err != nil {
		return agent.Event{}, err
	}
	var what agent.EventType
	if raw, ok := answer["event"]; !ok || json.Unmarshal(raw, &what) != nil || what == "" {
		return agent.Event{}, nil
	}
	var named string
	if json.Unmarshal(answer["agent"], &named) != nil || named == "" {
		answer["agent"], _ = json.Marshal(p.Name)
	}
	fields, err := json.Marshal(answer)
	if err != nil {
		return agent.Event{}, p.failed("parse-event", err)
	}
	ev, err := generic.Adapter{}.Decode(string(what), fields, now)
	if err != nil {
		return agent.Event{}, p.failed("parse-event", err)
	}
	ev.Agent = agent.AgentName(p.Name)
	return ev, nil
}

type transcriptQuestion struct {
	Version        int    `json:"version"`
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path,omitempty"`
	Cwd            string `json:"cwd"`
}

// Transcript asks the plug-in for the whole conversation of an event's session. It returns the records
// as lines in the form of generic.Encode; nil if the plug-in knows no conversation. A line that is no
// record is an error.
func (p *Plugin) Transcript(ctx context.Context, ev agent.Event) ([]byte, error) {
	q := transcriptQuestion{protocolVersion, ev.SessionID.String(), ev.TranscriptPath, ev.Dir}
	out, err := p.run(ctx, "read-transcript", q, transcriptTimeout, maxTranscript)
	if err != nil {
		return nil, err
	}
	var lines []byte
	n := 0
	for line := range bytes.Lines(out) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		encoded, err := recordLine(line)
		if err != nil {
			return nil, p.failed("read-transcript", fmt.Errorf("line %d is no record: %w", n, err))
		}
		lines = append(lines, encoded...)
	}
	return lines, nil
}

// recordLine returns a line with the record that line has.
func recordLine(line []byte) ([]byte, error) {
	var r agent.Record
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	return generic.Encode(r)
}
