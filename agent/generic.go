package agent

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"entire/id"
)

// Generic stands for every agent without an adapter: a tool that can run a command reports
// its events in this program's own format (docs/agents.md). It has no settings file, may
// or may not write transcripts, and has no known command to resume a session.
type Generic struct{}

var _ Agent = Generic{}

// GenericVersion is the version of the payload that Generic reads.
const GenericVersion = 1

// genericVerbs are the names of the event types.
var genericVerbs = []EventType{SessionStart, TurnStart, TurnEnd, SessionEnd, TaskStart, TaskEnd, Todo, ToolStart, ToolEnd}

// Name implements Agent.
func (Generic) Name() AgentName { return AgentNameGeneric }

// Type implements Agent.
func (Generic) Type() AgentType { return AgentTypeUnknown }

// Verbs implements Agent.
func (Generic) Verbs() []string {
	out := make([]string, len(genericVerbs))
	for i, v := range genericVerbs {
		out[i] = string(v)
	}
	return out
}

// Decode implements Agent. The agent's name in the payload becomes the AgentType.
func (g Generic) Decode(verb string, data []byte, now time.Time) (Event, error) {
	what := EventType(verb)
	if !slices.Contains(genericVerbs, what) {
		return Event{}, fmt.Errorf("%w %q for %s", ErrUnknownVerb, excerpt(verb), g.Name())
	}
	p, err := parsePayload(data)
	if err != nil {
		return Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
	}
	ev, err := g.event(what, p)
	if err != nil {
		return Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
	}
	ev.Time, ev.Warnings = now, p.warnings
	return ev, nil
}

func (g Generic) event(what EventType, p *payload) (Event, error) {
	if v, name := p.find("version"); name != "" && (v.Type != gjson.Number || v.Num != GenericVersion) {
		p.warn("version is not %d: read as if it were", GenericVersion)
	}
	ev := Event{Type: what, Agent: g.Name(), Dir: p.dir(), AgentType: p.agentNamed("agent")}
	ev.TranscriptPath = p.path(ev.Dir, "transcript_path", "transcriptPath")
	var err error
	if ev.SessionID, err = p.session("", func(string) string { return "" }); err != nil {
		return Event{}, err
	}
	switch what {
	case SessionStart:
		ev.Source, ev.Model = p.text("source"), p.text("model")
	case TurnStart:
		ev.Prompt = p.prompt()
	case TurnEnd:
		ev.Prompt, ev.Answer, ev.Files = p.prompt(), p.text("response"), p.texts("files")
	case SessionEnd:
		ev.Reason = p.text("reason")
	case TaskStart, TaskEnd, Todo:
		err = p.genericTask(&ev)
	case ToolStart, ToolEnd:
		err = p.tool(&ev)
	}
	return ev, err
}

// genericTask sets the fields of a task or a to-do list; it also accepts the fields of
// other agents' payloads.
func (p *payload) genericTask(ev *Event) error {
	if v, ok := p.fields["task_id"]; ok {
		if _, has := p.fields["tool_use_id"]; !has {
			p.fields["tool_use_id"] = v
		}
	}
	if err := p.tool(ev); err != nil {
		return err
	}
	if ev.ToolUseID == "" && ev.Type != Todo {
		return errors.New("no tool_use_id in input")
	}
	setIf(&ev.Description, p.text("description"))
	setIf(&ev.SubagentType, p.text("task_type"))
	if todos := p.todos(gjson.Result{Type: gjson.JSON, Raw: p.raw}); ev.Type == Todo && len(todos) > 0 {
		ev.Todos = todos
	}
	return nil
}

// texts returns a field that must be a list of strings.
func (p *payload) texts(name string) []string {
	v, found := p.find(name)
	if found == "" {
		return nil
	}
	if !v.IsArray() {
		p.warn("%s is not an array: ignored", name)
		return nil
	}
	var out []string
	v.ForEach(func(_, v gjson.Result) bool {
		if s := p.textOf(v, "an item of "+name); s != "" {
			out = append(out, valid(s))
		}
		return true
	})
	return out
}

// maxAgentName bounds an agent's name, which is shown in trailers and lists.
const maxAgentName = 40

// agentNamed returns the agent's name in a payload, which is shown and stored: one line of
// printable text.
func (p *payload) agentNamed(field string) AgentType {
	name := p.text(field)
	if name == "" {
		return AgentTypeUnknown
	}
	for _, r := range name {
		if !unicode.IsPrint(r) || r == ':' {
			p.warn("%s is not one line of text without a colon: ignored", field)
			return AgentTypeUnknown
		}
	}
	if len(name) > maxAgentName || oneLine(name) != name {
		p.warn("%s is longer than %d bytes or has loose space: ignored", field, maxAgentName)
		return AgentTypeUnknown
	}
	return AgentType(name)
}

// SettingsPath implements Agent: there is none.
func (Generic) SettingsPath() string { return "" }

// Install implements Agent: there is nothing to install.
func (Generic) Install(src []byte, _ InstallOptions) ([]byte, int, error) { return src, 0, nil }

// Uninstall implements Agent.
func (Generic) Uninstall(src []byte) ([]byte, int, error) { return src, 0, nil }

// Installed implements Agent.
func (Generic) Installed([]byte) bool { return false }

// TranscriptPath implements Agent.
func (Generic) TranscriptPath(string, string, id.SessionID) string { return "" }

// TranscriptRoot implements Agent.
func (Generic) TranscriptRoot(string) string { return "" }

// Folders implements Agent.
func (Generic) Folders(string, string, func(string) []byte) []string { return nil }

// OwnsFile implements Agent.
func (Generic) OwnsFile(string, id.SessionID) bool { return false }

// FileName implements Agent.
func (Generic) FileName(session id.SessionID, _ []byte) string { return session.String() + ".jsonl" }

// SubagentTranscripts implements Agent.
func (Generic) SubagentTranscripts(string, id.SessionID, string) []string { return nil }

// ResumeCommand implements Agent: "", because the command is not known.
func (Generic) ResumeCommand(id.SessionID) string { return "" }
