package gemini

import (
	"fmt"
	"time"

	"entire/agent"
	"entire/agent/internal/payload"
)

// Verb is a verb with the event that it reports, "" for none.
type Verb struct {
	Verb string
	Is   agent.EventType
}

// Verbs are the verbs that Gemini's hooks pass to this program. Verbs without an
// event are installed for other tools and ignored.
var Verbs = []Verb{
	{"session-start", agent.SessionStart},
	{"session-end", agent.SessionEnd},
	{"before-agent", agent.TurnStart},
	{"after-agent", agent.TurnEnd},
	{"before-model", ""},
	{"after-model", ""},
	{"before-tool-selection", ""},
	{"before-tool", agent.ToolStart},
	{"after-tool", agent.ToolEnd},
	{"pre-compress", ""},
	{"notification", ""},
}

// Verbs implements Agent.
func (Adapter) Verbs() []string {
	out := make([]string, len(Verbs))
	for i, v := range Verbs {
		out[i] = v.Verb
	}
	return out
}

// Decode implements Agent. For a verb without an event it does not read the payload and
// returns a zero Event: such hooks run for every part of an answer.
func (g Adapter) Decode(verb string, data []byte, now time.Time) (agent.Event, error) {
	for _, v := range Verbs {
		switch {
		case v.Verb != verb:
			continue
		case v.Is == "":
			return agent.Event{}, nil
		}
		p, err := payload.Parse(data)
		if err != nil {
			return agent.Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
		}
		ev, err := g.event(v.Is, p)
		if err != nil {
			return agent.Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
		}
		ev.Time, ev.Warnings = now, p.Warnings
		return ev, nil
	}
	return agent.Event{}, fmt.Errorf("%w %q for %s", agent.ErrUnknownVerb, payload.Excerpt(verb), g.Name())
}

func (g Adapter) event(what agent.EventType, p *payload.Payload) (agent.Event, error) {
	ev := agent.Event{Type: what, Agent: g.Name(), Dir: p.Dir()}
	ev.TranscriptPath = p.Path(ev.Dir, "transcript_path", "transcriptPath")
	ev.AgentType = p.Caller(ev.TranscriptPath, g.Type())
	var err error
	if ev.SessionID, err = p.Session(ev.TranscriptPath, g.sessionOf); err != nil {
		return agent.Event{}, err
	}
	switch what {
	case agent.SessionStart:
		ev.Source = p.Text("source")
	case agent.TurnStart:
		ev.SetPrompt(p.Prompt())
	case agent.SessionEnd:
		ev.Reason = p.Text("reason")
	case agent.ToolStart, agent.ToolEnd:
		err = p.Tool(&ev)
	}
	return ev, err
}
