package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"entire/id"
)

// payload reads the fields of one hook payload and remembers which it ignored. A field has
// several names, because agents differ in case; the first that is present counts, and null
// counts as absent.
type payload struct {
	fields   map[string]gjson.Result
	raw      string // the whole object
	warnings []string
}

func parsePayload(data []byte) (*payload, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	switch {
	case len(data) == 0:
		return nil, errors.New("empty input")
	case !json.Valid(data):
		return nil, fmt.Errorf("input of %d bytes is not JSON", len(data))
	case data[0] != '{':
		return nil, errors.New("input is not a JSON object")
	}
	all := gjson.ParseBytes(data)
	return &payload{fields: members(all), raw: all.Raw}, nil
}

// members returns the non-null members of an object; the last one counts if a key is
// repeated. It returns none for anything that is not an object.
func members(v gjson.Result) map[string]gjson.Result {
	m := map[string]gjson.Result{}
	if !v.IsObject() {
		return m
	}
	v.ForEach(func(k, v gjson.Result) bool {
		if v.Type == gjson.Null {
			delete(m, k.String())
		} else {
			m[k.String()] = v
		}
		return true
	})
	return m
}

func (p *payload) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

func (p *payload) find(names ...string) (gjson.Result, string) {
	for _, n := range names {
		if v, ok := p.fields[n]; ok {
			return v, n
		}
	}
	return gjson.Result{}, ""
}

// text returns a field that must be a string; it ignores other types.
func (p *payload) text(names ...string) string {
	v, name := p.find(names...)
	return p.textOf(v, name)
}

func (p *payload) textOf(v gjson.Result, name string) string {
	switch v.Type {
	case gjson.Null:
		return ""
	case gjson.String:
		return v.Str
	}
	p.warn("%s is not a string: ignored", name)
	return ""
}

// path returns a field that must be an absolute path; it joins a relative one with base,
// if there is one.
func (p *payload) path(base string, names ...string) string {
	s := p.text(names...)
	switch {
	case s == "" || filepath.IsAbs(s) && !strings.ContainsRune(s, 0):
		return s
	case base == "" || strings.HasPrefix(s, "~") || strings.ContainsRune(s, 0):
		p.warn("%s is not an absolute path: ignored", names[0])
		return ""
	}
	return filepath.Join(base, s)
}

// dir returns the agent's working directory, "" if unknown.
func (p *payload) dir() string {
	if d := p.path("", "cwd"); d != "" {
		return d
	}
	if roots, _ := p.find("workspace_roots", "workspaceRoots"); roots.IsArray() {
		if d := roots.Get("0"); d.Type == gjson.String && filepath.IsAbs(d.Str) && !strings.ContainsRune(d.Str, 0) {
			return d.Str
		}
	}
	return ""
}

// session returns the session's ID or, if the payload has none, the one that guess derives
// from the transcript's path.
func (p *payload) session(transcript string, guess func(string) string) (id.SessionID, error) {
	s := p.text("session_id", "sessionId", "conversation_id", "conversationId")
	if s == "" {
		if s = guess(transcript); s == "" {
			return id.SessionID{}, errors.New("no session_id in input")
		}
		p.warn("no session_id: taken from transcript_path")
	}
	return id.ParseSessionID(s)
}

// caller returns the agent that sent the payload: by the place of its transcript, by a
// field that only another agent sends, otherwise the agent whose hook it is.
func (p *payload) caller(transcript string, own AgentType) AgentType {
	if t, ok := TypeByLocation(transcript); ok {
		return t
	}
	if _, name := p.find("cursor_version", "conversation_id", "conversationId"); name != "" {
		return AgentTypeUnknown
	}
	// Claude Code always sends a transcript's path, and never the time.
	if _, name := p.find("timestamp"); own == AgentTypeClaudeCode && name != "" && p.text("transcript_path", "transcriptPath") == "" {
		return AgentTypeCopilot
	}
	return own
}

// word returns a field that may become part of a file name; it ignores unsafe values.
func (p *payload) word(v gjson.Result, name string) string {
	s := p.textOf(v, name)
	if s != "" && !isWord(s) {
		p.warn("%s is not a plain word: ignored", name)
		return ""
	}
	return s
}

// object returns a copy of a field that must be an object.
func (p *payload) object(names ...string) (gjson.Result, json.RawMessage) {
	v, name := p.find(names...)
	if name == "" {
		return v, nil
	}
	if !v.IsObject() {
		p.warn("%s is not an object: ignored", name)
		return gjson.Result{}, nil
	}
	return v, json.RawMessage(v.Raw)
}

// todos returns the items of an object's member of that name.
func (p *payload) todos(input gjson.Result) []TodoItem {
	v, ok := members(input)["todos"]
	if !ok {
		return nil
	}
	if !v.IsArray() {
		p.warn("tool_input.todos is not an array: ignored")
		return nil
	}
	var out []TodoItem
	v.ForEach(func(_, v gjson.Result) bool {
		if !v.IsObject() {
			p.warn("an item of tool_input.todos is not an object: ignored")
			return true
		}
		m := members(v)
		form := m["activeForm"]
		if form.Type == gjson.Null {
			form = m["active_form"]
		}
		out = append(out, TodoItem{
			Content:    p.textOf(m["content"], "todo content"),
			ActiveForm: p.textOf(form, "todo activeForm"),
			Status:     p.textOf(m["status"], "todo status"),
		})
		return true
	})
	return out
}
