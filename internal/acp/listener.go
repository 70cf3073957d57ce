package acp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
)

// Recorder is told what happens. Its methods are called one at a time; the message that caused a
// call is passed on when the method has returned.
type Recorder interface {
	// SessionStarts tells of a session of the named agent that works in the folder dir. resumed
	// says that it began before; agentName is "" if the agent gave none.
	SessionStarts(agentName, session, dir string, resumed bool)
	TurnStarts(session, prompt string)
	TurnEnds(session, answer string)
	// Record appends what was said or done to the session's transcript.
	Record(session string, r agent.Record)
}

// Listener follows the messages of an editor and an agent.
type Listener struct {
	to  Recorder
	now func() time.Time

	mu       sync.Mutex
	agent    string             // the agent's name, as it gave it
	version  string             // likewise
	asked    map[string]request // requests of the editor that have no response yet, by ID
	wanted   map[string]request // requests of the agent, likewise
	sessions map[string]*session
	count    int
}

// request is a request without a response.
type request struct {
	method, session string
	params          gjson.Result
}

// session is the state of one session.
type session struct {
	loading bool              // the agent repeats an old conversation
	text    strings.Builder   // of the agent's message so far
	thought strings.Builder   // likewise
	said    string            // the last whole message in the turn
	calls   map[string]*call  // calls without a result, by ID
	order   []string          // their IDs
	shells  map[string]string // the command lines of terminals, by terminal ID
	model   string            // its name, as the agent or the editor told it
	meter   meter
}

// call is a tool call, as far as it was reported.
type call struct {
	title, kind, status string
	input               string // raw JSON
	output              string
	edits               []agent.Edit
	paths               []string
	terminal            string
}

// NewListener returns a Listener that tells to what it hears.
func NewListener(to Recorder, now func() time.Time) *Listener {
	return &Listener{to: to, now: now, asked: map[string]request{}, wanted: map[string]request{}, sessions: map[string]*session{}}
}

// FromEditor hears a message of the editor.
func (l *Listener) FromEditor(line []byte) { l.hear(line, l.asked, l.requested, l.wanted, l.granted) }

// FromAgent hears a message of the agent.
func (l *Listener) FromAgent(line []byte) {
	l.hear(line, l.wanted, func(request) {}, l.asked, l.answered)
}

// hear hears a message of one side: a notice, a request, which it adds to sent, or the response to one
// of the other side's requests.
func (l *Listener) hear(line []byte, sent map[string]request, requested func(request), received map[string]request, responded func(request, gjson.Result)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := message(line)
	if !ok {
		return
	}
	id, params := m.Get("id").Raw, m.Get("params")
	r := request{method: m.Get("method").String(), session: params.Get("sessionId").String(), params: params}
	switch {
	case r.method == "":
		if r, ok := received[id]; ok {
			delete(received, id)
			responded(r, m)
		}
	case l.noticed(r):
	case id != "":
		sent[id] = r
		requested(r)
	}
}

// noticed handles a notice, which gets no response; it returns false for a request.
func (l *Listener) noticed(r request) bool {
	switch r.method {
	case "session/cancel":
		l.cancelled(r.session)
	case "session/update":
		if s := l.sessions[r.session]; s != nil && !s.loading {
			l.update(r.session, s, r.params.Get("update"))
		}
	default:
		return false
	}
	return true
}

// message parses a line, which must be one JSON object.
func message(line []byte) (gjson.Result, bool) {
	if !gjson.ValidBytes(line) {
		return gjson.Result{}, false
	}
	m := gjson.Parse(string(line))
	return m, m.IsObject()
}

// requested handles a request of the editor before the agent gets it.
func (l *Listener) requested(r request) {
	switch r.method {
	case "session/load", "session/resume":
		if r.session != "" {
			l.sessions[r.session] = &session{loading: r.method == "session/load"}
		}
	case "session/prompt":
		s := l.sessions[r.session]
		if s == nil {
			return
		}
		text := textOf(r.params.Get("prompt"))
		s.said, s.meter.answers = "", false
		l.to.TurnStarts(r.session, text)
		l.record(r.session, agent.Record{Role: agent.RoleUser, Parts: []agent.Part{{Text: text}}})
	}
}

// answered handles the agent's response to a request of the editor.
func (l *Listener) answered(r request, m gjson.Result) {
	failed := m.Get("error").Exists()
	switch r.method {
	case "initialize":
		info := m.Get("result.agentInfo")
		l.agent, l.version = info.Get("title").String(), info.Get("version").String()
		if l.agent == "" {
			l.agent = info.Get("name").String()
		}
	case "session/new":
		if id := m.Get("result.sessionId").String(); id != "" && !failed {
			l.sessions[id] = &session{model: modelOf(m.Get("result"))}
			l.to.SessionStarts(l.agent, id, filepath.FromSlash(r.params.Get("cwd").String()), false)
		}
	case "session/load", "session/resume":
		if s := l.sessions[r.session]; s != nil {
			s.loading = false
			if failed {
				delete(l.sessions, r.session)
				return
			}
			agent.SetIf(&s.model, modelOf(m.Get("result")))
			l.to.SessionStarts(l.agent, r.session, filepath.FromSlash(r.params.Get("cwd").String()), true)
		}
	case "session/set_model":
		if s := l.sessions[r.session]; s != nil && !failed {
			agent.SetIf(&s.model, r.params.Get("modelId").String())
		}
	case "session/prompt":
		if s := l.sessions[r.session]; s != nil {
			used := s.meter.used(m.Get("result"))
			if len(s.order) > 0 {
				l.flush(r.session, s, nil)
			}
			for _, id := range s.order {
				l.finish(r.session, s, id)
			}
			l.flush(r.session, s, used)
			l.to.TurnEnds(r.session, s.said)
		}
	}
}

// cancelled records that the person stopped a turn.
func (l *Listener) cancelled(id string) {
	if s := l.sessions[id]; s != nil {
		l.flush(id, s, nil)
		l.record(id, agent.Record{Role: agent.RoleSystem, Stopped: true, Parts: []agent.Part{{Text: agent.Interruption + "]"}}})
	}
}

// granted handles the editor's response to a request of the agent: only what was done counts.
func (l *Listener) granted(r request, m gjson.Result) {
	s := l.sessions[r.session]
	if s == nil || m.Get("error").Exists() {
		return
	}
	switch r.method {
	case "fs/write_text_file":
		l.flush(r.session, s, nil)
		path, text := r.params.Get("path").String(), r.params.Get("content").String()
		input, _ := json.Marshal(map[string]string{"path": path})
		l.recordCall(r.session, agent.Call{ToolUse: agent.ToolUse{Name: "write_text_file", Input: input}, Edits: []agent.Edit{{Path: path, Texts: []string{text}}}}, "", false)
	case "terminal/create":
		words := []string{r.params.Get("command").String()}
		for _, w := range r.params.Get("args").Array() {
			words = append(words, "'"+strings.ReplaceAll(w.String(), "'", `'\''`)+"'")
		}
		if s.shells == nil {
			s.shells = map[string]string{}
		}
		command := strings.Join(words, " ")
		s.shells[m.Get("result.terminalId").String()] = command
		l.flush(r.session, s, nil)
		l.recordCall(r.session, agent.Call{ToolUse: agent.ToolUse{Name: "terminal"}, Command: command}, "", false)
	}
}

// update handles one session/update.
func (l *Listener) update(id string, s *session, u gjson.Result) {
	switch u.Get("sessionUpdate").String() {
	case "agent_message_chunk":
		s.text.WriteString(textOf(u.Get("content")))
		if used, ok := usageOf(u.Get("_meta.usage")); ok {
			s.meter.answers = true
			l.flush(id, s, &used)
		}
	case "agent_thought_chunk":
		s.thought.WriteString(textOf(u.Get("content")))
	case "tool_call", "tool_call_update":
		l.flush(id, s, nil)
		callID := u.Get("toolCallId").String()
		if callID == "" {
			return
		}
		c := s.calls[callID]
		if c == nil {
			if s.calls == nil {
				s.calls = map[string]*call{}
			}
			c = &call{}
			s.calls[callID] = c
			s.order = append(s.order, callID)
		}
		c.update(u)
		if c.status == "completed" || c.status == "failed" {
			l.finish(id, s, callID)
		}
	}
}

// update adds what an update says of a call. A field that it has replaces the earlier one.
func (c *call) update(u gjson.Result) {
	agent.SetIf(&c.title, u.Get("title").String())
	agent.SetIf(&c.kind, u.Get("kind").String())
	agent.SetIf(&c.status, u.Get("status").String())
	if v := u.Get("rawInput"); v.IsObject() {
		c.input = v.Raw
	}
	if v := u.Get("rawOutput"); v.Type == gjson.String {
		c.output = v.Str
	}
	if v := u.Get("locations"); v.IsArray() {
		c.paths = nil
		v.ForEach(func(_, at gjson.Result) bool {
			if p := at.Get("path").String(); p != "" {
				c.paths = append(c.paths, p)
			}
			return true
		})
	}
	if v := u.Get("content"); v.IsArray() {
		c.edits = nil
		v.ForEach(func(_, part gjson.Result) bool {
			switch part.Get("type").String() {
			case "diff":
				e := agent.Edit{Path: part.Get("path").String(), Texts: []string{part.Get("newText").String()}}
				if old := part.Get("oldText"); old.Type == gjson.String && old.Str != "" {
					e.Replaced = []string{old.Str}
				}
				if e.Path != "" {
					c.edits = append(c.edits, e)
				}
			case "content":
				agent.SetIf(&c.output, textOf(part.Get("content")))
			case "terminal":
				c.terminal = part.Get("terminalId").String()
			}
			return true
		})
	}
}

// finish records a call with its result.
func (l *Listener) finish(id string, s *session, callID string) {
	c := s.calls[callID]
	if c == nil {
		return
	}
	delete(s.calls, callID)
	for i, other := range s.order {
		if other == callID {
			s.order = append(s.order[:i:i], s.order[i+1:]...)
			break
		}
	}
	if text := gjson.Get(c.input, "content"); c.kind == "edit" && len(c.edits) == 0 && len(c.paths) == 1 && text.Type == gjson.String {
		c.edits = []agent.Edit{{Path: c.paths[0], Texts: []string{text.Str}}} // as OpenCode and Kilo tell of a file that they write
	}
	out := agent.Call{ToolUse: agent.ToolUse{ID: callID, Name: c.name()}, Edits: c.edits}
	if c.input != "" {
		out.Input = json.RawMessage(c.input)
	}
	if c.status == "failed" {
		out.Edits = nil
	}
	switch {
	case s.shells[c.terminal] != "":
		out.Command = s.shells[c.terminal]
	case c.kind == "execute":
		out.Command = agent.Event{ToolInput: out.Input}.ShellCommand()
		if out.Command == "" {
			out.Command = strings.Trim(c.title, "`")
		}
	case c.kind == "read" || c.kind == "search" || c.kind == "think" || c.kind == "fetch":
		out.Reads = true
	case len(c.edits) == 0:
		out.Files = c.paths
	}
	l.recordCall(id, out, c.output, c.status == "failed")
}

func (c *call) name() string {
	if c.kind != "" {
		return c.kind
	}
	return agent.Clip(agent.OneLine(c.title), 80)
}

// recordCall records a call and its result.
func (l *Listener) recordCall(id string, c agent.Call, result string, failed bool) {
	if c.ID == "" {
		l.count++
		c.ID = fmt.Sprintf("call-%d-%d", l.now().UnixNano(), l.count)
	}
	l.record(id, agent.Record{Role: agent.RoleAssistant, Version: l.version, Parts: []agent.Part{{Kind: agent.CallPart, Call: c}}})
	l.record(id, agent.Record{Role: agent.RoleTool, Parts: []agent.Part{{Kind: agent.ResultPart, CallID: c.ID, Tool: c.Name, Text: result, Failed: failed}}})
}

// flush records the agent's text so far, and what the answer, or the turn, has used; nil for what is not told.
func (l *Listener) flush(id string, s *session, used *agent.TokenUsage) {
	var parts []agent.Part
	if t := s.thought.String(); strings.TrimSpace(t) != "" {
		parts = append(parts, agent.Part{Kind: agent.ThoughtPart, Text: t})
	}
	if t := s.text.String(); strings.TrimSpace(t) != "" {
		parts = append(parts, agent.Part{Text: t})
		s.said = t
	}
	s.text.Reset()
	s.thought.Reset()
	switch {
	case len(parts) > 0:
		l.record(id, agent.Record{Role: agent.RoleAssistant, Version: l.version, Parts: parts, Usage: used})
	case used != nil:
		l.record(id, agent.Record{Usage: used})
	}
}

func (l *Listener) record(id string, r agent.Record) {
	l.count++
	now := l.now().UTC()
	if s := l.sessions[id]; s != nil && r.Role == agent.RoleAssistant {
		r.Model = s.model
	}
	r.ID, r.Time = fmt.Sprintf("acp-%d-%d", now.UnixNano(), l.count), now.Format(time.RFC3339Nano)
	l.to.Record(id, r)
}
