package cline

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/id"
)

// document is what Cline keeps of one of its agents' conversations.
type document struct {
	Version   int               `json:"version"`
	UpdatedAt string            `json:"updated_at,omitempty"`
	Agent     string            `json:"agent,omitempty"`
	SessionID string            `json:"sessionId"`
	Origin    *origin           `json:"origin,omitempty"`
	Messages  []json.RawMessage `json:"messages"`

	last gjson.Result // the last answer
}

type origin struct {
	Source    string `json:"source"`
	Mode      string `json:"mode"`
	SessionID string `json:"sessionId"`
	Version   string `json:"version"`
}

// manifest is the file beside a session's document, without which Cline begins the session anew. It has
// the members that Cline requires.
type manifest struct {
	Version       int    `json:"version"`
	SessionID     string `json:"session_id"`
	Source        string `json:"source"`
	PID           int    `json:"pid"`
	StartedAt     string `json:"started_at"`
	Status        string `json:"status"`
	Interactive   bool   `json:"interactive"`
	Provider      string `json:"provider"`
	Model         string `json:"model"`
	Dir           string `json:"cwd"`
	WorkspaceRoot string `json:"workspace_root"`
	EnableTools   bool   `json:"enable_tools"`
	EnableSpawn   bool   `json:"enable_spawn"`
	EnableTeams   bool   `json:"enable_teams"`
	MessagesPath  string `json:"messages_path"`
}

// Restored implements agent.DocumentKeeper. The manifest of a session that Cline still has stays.
func (Adapter) Restored(home, dir string, session id.SessionID, lines []byte) []agent.Document {
	own, others := documentsOf(session, lines)
	if own == nil {
		return nil
	}
	folder := filepath.Join(home, ".cline", "data", "sessions", session.String())
	path := filepath.Join(folder, session.String()+documentEnd)
	out := []agent.Document{{Path: path, Text: own.text()}}
	for _, other := range others {
		out = append(out, agent.Document{Path: filepath.Join(folder, other.SessionID+documentEnd), Text: other.text(), Stays: true})
	}
	return append(out, agent.Document{Path: filepath.Join(folder, session.String()+".json"), Stays: true, Text: indented(manifest{
		Version: 1, SessionID: session.String(), Source: "cli", StartedAt: timeOf(gjson.ParseBytes(own.Messages[0])), Status: "completed",
		Interactive: true, Provider: jsontext.StringIn(own.last.Get("modelInfo.provider")), Model: jsontext.StringIn(own.last.Get("modelInfo.id")),
		Dir: dir, WorkspaceRoot: dir, EnableTools: true, EnableSpawn: true, EnableTeams: true, MessagesPath: path,
	})})
}

// documentsOf returns the document of the session and those of its subagents, in the order of their
// first messages. Lines that name no valid session or have no message are left out.
func documentsOf(session id.SessionID, lines []byte) (own *document, others []*document) {
	byName := map[string]*document{}
	for line := range bytes.Lines(lines) {
		v := gjson.ParseBytes(line)
		m := v.Get("message")
		if !gjson.ValidBytes(line) || !m.IsObject() {
			continue
		}
		name := session.String()
		if of := v.Get("subagent"); of.Exists() {
			sub, err := id.ParseSessionID(jsontext.StringIn(of)) // it becomes part of a path
			if err != nil || sub == session {
				continue
			}
			name = sub.String()
		}
		d := byName[name]
		if d == nil {
			d = &document{Version: 1, SessionID: name}
			if byName[name] = d; name == session.String() {
				own, d.Agent = d, "lead"
			} else {
				others = append(others, d)
			}
		}
		if version := jsontext.StringIn(v.Get("version")); version != "" {
			d.Origin = &origin{Source: "cli", Mode: "user", SessionID: session.String(), Version: version}
		}
		d.Messages = append(d.Messages, json.RawMessage(m.Raw))
		if d.UpdatedAt = timeOf(m); m.Get("role").String() == "assistant" {
			d.last = m
		}
	}
	return own, others
}

func (d *document) text() []byte { return indented(d) }

// timeOf returns when a message was written, as Cline writes it elsewhere than in messages; that it lacks
// is no hindrance.
func timeOf(message gjson.Result) string {
	at := message.Get("ts")
	if at.Type != gjson.Number || at.Num <= 0 || at.Num >= 1e14 {
		return ""
	}
	return time.UnixMilli(at.Int()).UTC().Format("2006-01-02T15:04:05.000Z")
}

// indented returns a value as Cline writes its files; nil for a value that JSON cannot hold.
func indented(value any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(value) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
