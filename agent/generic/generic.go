package generic

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/payload"
	"entire/id"
)

// Adapter stands for every agent without an adapter: a tool that can run a command reports
// its events in this program's own format (docs/agents.md). It has no settings file, may
// or may not write transcripts, and has no known command to resume a session.
type Adapter struct{}

var _ agent.Agent = Adapter{}

// GenericVersion is the version of the payload that Generic reads.
const GenericVersion = 1

// genericVerbs are the names of the event types.
var genericVerbs = []agent.EventType{agent.SessionStart, agent.TurnStart, agent.TurnEnd, agent.SessionEnd, agent.TaskStart, agent.TaskEnd, agent.Todo, agent.ToolStart, agent.ToolEnd}

// Name implements Agent.
func (Adapter) Name() agent.AgentName { return agent.AgentNameGeneric }

// Type implements Agent.
func (Adapter) Type() agent.AgentType { return agent.AgentTypeUnknown }

// Verbs implements Agent.
func (Adapter) Verbs() []string {
	out := make([]string, len(genericVerbs))
	for i, v := range genericVerbs {
		out[i] = string(v)
	}
	return out
}

// Decode implements Agent. The agent's name in the payload becomes the AgentType.
func (g Adapter) Decode(verb string, data []byte, now time.Time) (agent.Event, error) {
	what := agent.EventType(verb)
	if !slices.Contains(genericVerbs, what) {
		return agent.Event{}, fmt.Errorf("%w %q for %s", agent.ErrUnknownVerb, payload.Excerpt(verb), g.Name())
	}
	p, err := payload.Parse(data)
	if err != nil {
		return agent.Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
	}
	ev, err := g.event(what, p)
	if err != nil {
		return agent.Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
	}
	ev.Time, ev.Warnings = now, p.Warnings
	return ev, nil
}

func (g Adapter) event(what agent.EventType, p *payload.Payload) (agent.Event, error) {
	if v, name := p.Find("version"); name != "" && (v.Type != gjson.Number || v.Num != GenericVersion) {
		p.Warn("version is not %d: read as if it were", GenericVersion)
	}
	ev := agent.Event{Type: what, Agent: g.Name(), Dir: p.Dir(), AgentType: p.AgentNamed("agent")}
	ev.TranscriptPath = p.Path(ev.Dir, "transcript_path", "transcriptPath")
	var err error
	if ev.SessionID, err = p.Session("", func(string) string { return "" }); err != nil {
		return agent.Event{}, err
	}
	switch what {
	case agent.SessionStart:
		ev.Source, ev.Model = p.Text("source"), p.Text("model")
	case agent.TurnStart:
		ev.Prompt = p.Prompt()
	case agent.TurnEnd:
		ev.Prompt, ev.Answer, ev.Files = p.Prompt(), p.Text("response"), p.Texts("files")
	case agent.SessionEnd:
		ev.Reason = p.Text("reason")
	case agent.TaskStart, agent.TaskEnd, agent.Todo:
		err = p.GenericTask(&ev)
	case agent.ToolStart, agent.ToolEnd:
		p.Tool(&ev)
	}
	return ev, err
}

// AnswerTool implements agent.ToolAnswerer.
func (Adapter) AnswerTool(note, refusal string) []byte {
	b := base.Base{Answer: base.PlainAnswer}
	return b.AnswerTool(note, refusal)
}

// Profile implements Agent: there is nothing to install.
func (Adapter) Profile() agent.Profile {
	return agent.Profile{Description: "any other agent, which calls the hooks itself"}
}

// Install implements Agent: there is nothing to install.
func (Adapter) Install(_ string, src []byte, _ agent.InstallOptions) ([]byte, int, error) {
	return src, 0, nil
}

// Uninstall implements Agent.
func (Adapter) Uninstall(_ string, src []byte) ([]byte, int, error) { return src, 0, nil }

// Installed implements Agent.
func (Adapter) Installed([]byte) bool { return false }

// TranscriptPath implements Agent.
func (Adapter) TranscriptPath(string, string, id.SessionID) string { return "" }

// TranscriptRoot implements Agent.
func (Adapter) TranscriptRoot(string) string { return "" }

// Folders implements Agent.
func (Adapter) Folders(string, string, func(string) []byte) []string { return nil }

// OwnsFile implements Agent.
func (Adapter) OwnsFile(string, id.SessionID) bool { return false }

// FileName implements Agent.
func (Adapter) FileName(session id.SessionID, _ []byte) string { return session.String() + ".jsonl" }

// SubagentTranscripts implements Agent.
func (Adapter) SubagentTranscripts(string, id.SessionID, string) []string { return nil }

// ResumeCommand implements Agent: "", because the command is not known.
func (Adapter) ResumeCommand(id.SessionID) string { return "" }
