package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/id"
)

// maxMode bounds the length of the name of a permission mode.
const maxMode = 40

// Mode returns the name of the agent's permission mode; "" if the payload has none.
func (p *Payload) Mode() string {
	v, name := p.Find("permission_mode", "permissionMode")
	mode := p.Word(v, name)
	if len(mode) > maxMode {
		p.Warn("%s is too long: ignored", name)
		return ""
	}
	return mode
}

// Payload reads the fields of one hook payload and remembers which it ignored. A field has
// several names, because agents differ in case; the first that is present counts, and null
// counts as absent.
type Payload struct {
	fields   map[string]gjson.Result
	raw      string // the whole object
	Warnings []string
	// Local returns a path as this system writes it; nil for an agent that writes it so.
	Local func(string) string
}

func Parse(data []byte) (*Payload, error) {
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
	return &Payload{fields: Members(all), raw: all.Raw}, nil
}

// Members returns the non-null members of an object; the last one counts if a key is
// repeated. It returns none for anything that is not an object.
func Members(v gjson.Result) map[string]gjson.Result {
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

func (p *Payload) Warn(format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
}

func (p *Payload) Find(names ...string) (gjson.Result, string) {
	for _, n := range names {
		if v, ok := p.fields[n]; ok {
			return v, n
		}
	}
	return gjson.Result{}, ""
}

// Text returns a field that must be a string; it ignores other types. Bytes that are no text become U+FFFD.
func (p *Payload) Text(names ...string) string {
	v, name := p.Find(names...)
	return jsontext.ValidUTF8(p.textOf(v, name))
}

func (p *Payload) textOf(v gjson.Result, name string) string {
	switch v.Type {
	case gjson.Null:
		return ""
	case gjson.String:
		return v.Str
	}
	p.Warn("%s is not a string: ignored", name)
	return ""
}

// Path returns a field that must be an absolute path; it joins a relative one with base,
// if there is one.
func (p *Payload) Path(base string, names ...string) string {
	v, name := p.Find(names...)
	s := p.local(p.textOf(v, name)) // a path may have any bytes
	switch {
	case s == "" || filepath.IsAbs(s) && !strings.ContainsRune(s, 0):
		return s
	case base == "" || strings.HasPrefix(s, "~") || strings.ContainsRune(s, 0):
		p.Warn("%s is not an absolute path: ignored", names[0])
		return ""
	}
	return filepath.Join(base, s)
}

func (p *Payload) local(path string) string {
	if p.Local == nil {
		return path
	}
	return p.Local(path)
}

// Dir returns the agent's working directory, "" if unknown.
func (p *Payload) Dir() string {
	if d := p.Path("", "cwd"); d != "" {
		return d
	}
	if roots, _ := p.Find("workspace_roots", "workspaceRoots"); roots.IsArray() {
		if d := p.local(roots.Get("0").Str); filepath.IsAbs(d) && !strings.ContainsRune(d, 0) {
			return d
		}
	}
	return ""
}

// Session returns the session's ID or, if the payload has none, the one that guess derives
// from the transcript's path.
func (p *Payload) Session(transcript string, guess func(string) string) (id.SessionID, error) {
	s := p.Text("session_id", "sessionId", "conversation_id", "conversationId")
	if s == "" {
		if s = guess(transcript); s == "" {
			return id.SessionID{}, errors.New("no session_id in input")
		}
		p.Warn("no session_id: taken from transcript_path")
	}
	return id.ParseSessionID(s)
}

// Caller returns the agent that sent the payload: by the place of its transcript, by a
// field that only another agent sends, otherwise the agent whose hook it is.
func (p *Payload) Caller(transcript string, own agent.AgentType) agent.AgentType {
	if t, ok := agent.TypeByLocation(transcript); ok {
		return t
	}
	if _, name := p.Find("cursor_version"); name != "" {
		return agent.AgentTypeCursor
	}
	if _, name := p.Find("conversation_id", "conversationId"); name != "" && own != agent.AgentTypeCursor {
		return agent.AgentTypeUnknown
	}
	// Claude Code always sends a transcript's path, and never the time.
	if _, name := p.Find("timestamp"); own == agent.AgentTypeClaudeCode && name != "" && p.Text("transcript_path", "transcriptPath") == "" {
		return agent.AgentTypeCopilot
	}
	return own
}

// Word returns a field that may become part of a file name; it ignores unsafe values.
func (p *Payload) Word(v gjson.Result, name string) string {
	s := p.textOf(v, name)
	if s != "" && !jsontext.IsSafeName(s) {
		p.Warn("%s is not a plain word: ignored", name)
		return ""
	}
	return s
}

// object returns a copy of a field that must be an object.
func (p *Payload) object(names ...string) (gjson.Result, json.RawMessage) {
	v, name := p.Find(names...)
	if name == "" {
		return v, nil
	}
	if !v.IsObject() {
		p.Warn("%s is not an object: ignored", name)
		return gjson.Result{}, nil
	}
	return v, json.RawMessage(v.Raw)
}

// todos returns the items of an object's member of that name.
func (p *Payload) todos(input gjson.Result) []agent.TodoItem {
	v, ok := Members(input)["todos"]
	if !ok {
		return nil
	}
	if !v.IsArray() {
		p.Warn("tool_input.todos is not an array: ignored")
		return nil
	}
	var out []agent.TodoItem
	v.ForEach(func(_, v gjson.Result) bool {
		if !v.IsObject() {
			p.Warn("an item of tool_input.todos is not an object: ignored")
			return true
		}
		m := Members(v)
		form := m["activeForm"]
		if form.Type == gjson.Null {
			form = m["active_form"]
		}
		out = append(out, agent.TodoItem{
			Content:    p.textOf(m["content"], "todo content"),
			ActiveForm: p.textOf(form, "todo activeForm"),
			Status:     p.textOf(m["status"], "todo status"),
		})
		return true
	})
	return out
}
