package agent

import (
	"fmt"
	"time"
)

// geminiVerb is a verb with the event that it reports, "" for none.
type geminiVerb struct {
	verb string
	is   EventType
}

// geminiVerbs are the verbs that Gemini's hooks pass to this program. Verbs without an
// event are installed for other tools and ignored.
var geminiVerbs = []geminiVerb{
	{"session-start", SessionStart},
	{"session-end", SessionEnd},
	{"before-agent", TurnStart},
	{"after-agent", TurnEnd},
	{"before-model", ""},
	{"after-model", ""},
	{"before-tool-selection", ""},
	{"before-tool", ToolStart},
	{"after-tool", ToolEnd},
	{"pre-compress", ""},
	{"notification", ""},
}

// Verbs implements Agent.
func (Gemini) Verbs() []string {
	out := make([]string, len(geminiVerbs))
	for i, v := range geminiVerbs {
		out[i] = v.verb
	}
	return out
}

// Decode implements Agent. For a verb without an event it does not read the payload and
// returns a zero Event: such hooks run for every part of an answer.
func (g Gemini) Decode(verb string, data []byte, now time.Time) (Event, error) {
	for _, v := range geminiVerbs {
		switch {
		case v.verb != verb:
			continue
		case v.is == "":
			return Event{}, nil
		}
		p, err := parsePayload(data)
		if err != nil {
			return Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
		}
		ev, err := g.event(v.is, p)
		if err != nil {
			return Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
		}
		ev.Time, ev.Warnings = now, p.warnings
		return ev, nil
	}
	return Event{}, fmt.Errorf("%w %q for %s", ErrUnknownVerb, excerpt(verb), g.Name())
}

func (g Gemini) event(what EventType, p *payload) (Event, error) {
	ev := Event{Type: what, Agent: g.Name(), Dir: p.dir()}
	ev.TranscriptPath = p.path(ev.Dir, "transcript_path", "transcriptPath")
	ev.AgentType = p.caller(ev.TranscriptPath, g.Type())
	var err error
	if ev.SessionID, err = p.session(ev.TranscriptPath, g.sessionOf); err != nil {
		return Event{}, err
	}
	switch what {
	case SessionStart:
		ev.Source = p.text("source")
	case TurnStart:
		ev.prompted(p.prompt())
	case SessionEnd:
		ev.Reason = p.text("reason")
	case ToolStart, ToolEnd:
		err = p.tool(&ev)
	}
	return ev, err
}
