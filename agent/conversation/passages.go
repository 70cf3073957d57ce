package conversation

import (
	"strings"
	"time"

	"entire/agent"
	"entire/agent/agents"
)

// PassageKind is the kind of a Passage.
type PassageKind uint8

// The kinds of passage.
const (
	PromptPassage  PassageKind = iota // what a person typed, cleaned; a subagent's task
	ThoughtPassage                    // what the model thought, if the transcript has it
	TextPassage                       // the agent's text
	CallPassage                       // a call of a tool
	ResultPassage                     // the result of the call CallID
	WroteFile                         // a line that only names files as written: Files
)

// Passage is one thing said or done in a transcript, in the order of its lines. Unlike
// Message, it includes what the model thought.
type Passage struct {
	Kind   PassageKind
	Text   string        // Prompted, Thought, Remarked, Resulted
	Call   agent.ToolUse // Called
	CallID string        // for calls without an ID as in Message
	Failed bool          // Resulted: the tool failed
	Files  []string
	// Command and Edits are those of a call; see Written.
	Command string
	Edits   []agent.Edit

	Item  int    // the number of the line, or of the message of a list, from 0
	Chain string // "" for the main conversation, otherwise the subagent's ID
	Model string
	Time  time.Time
	// AgentIDs are the subagents that a result names.
	AgentIDs []string
}

// Passages returns the passages of a whole, complete transcript. It skips what cannot be
// read.
func Passages(t agent.AgentType, transcript []byte) []Passage {
	t = readerOf(t, transcript)
	var out []Passage
	item, subagent := 0, "" // whose the rest of the transcript is
	add := func(r *agent.Record) {
		if r.OwnTranscript {
			subagent = agent.Clip(r.Subagent, agent.MaxName)
		}
		for _, p := range passagesOf(r) {
			if p.Item = item; p.Chain == agent.MainChain {
				p.Chain = subagent
			}
			out = append(out, p)
		}
	}
	if agents.CountsMessages(t) {
		for _, m := range finalMessagesOf(t, transcript).list {
			item = m.n
			m.Parts = namedCalls(m.Parts, m.name)
			add(&m.Record)
		}
		return out
	}
	agent.EachFinalLine(transcript, func(line []byte) {
		for _, r := range ReadLine(t, line).Records {
			add(&r)
		}
		item++
	})
	return out
}

// passagesOf returns the passages of a record.
func passagesOf(r *agent.Record) []Passage {
	var out []Passage
	for i := range r.Parts {
		out = partPassages(out, r, &r.Parts[i])
	}
	text := typedIn(r)
	if r.Role == agent.RoleUser && r.Subagent != "" && !r.Injected { // a subagent's task
		text = agent.CleanPrompt(textOf(r))
	}
	out = appendSaid(out, PromptPassage, text)
	chain, model, at := agent.Clip(r.Subagent, agent.MaxName), agent.Clip(r.Model, agent.MaxName), ParseTimestamp(r.Time)
	if r.Model == agent.SyntheticModel {
		model = ""
	}
	for i := range out {
		out[i].Chain, out[i].Model = chain, model
		if out[i].Time.IsZero() {
			out[i].Time = at
		}
	}
	return out
}

func partPassages(out []Passage, r *agent.Record, p *agent.Part) []Passage {
	switch p.Kind {
	case agent.TextPart:
		if r.Role == agent.RoleAssistant {
			return appendSaid(out, TextPassage, p.Text)
		}
	case agent.ThoughtPart:
		return appendSaid(out, ThoughtPassage, p.Text)
	case agent.CallPart:
		return append(out, callPassage(&p.Call))
	case agent.ResultPart:
		return append(out, Passage{Kind: ResultPassage, CallID: p.CallID, Text: p.Text, Failed: p.Failed, AgentIDs: p.AgentIDs, Time: ParseTimestamp(p.Time)})
	case agent.FilesPart:
		if p.Call.Name != "" || p.Call.Command != "" {
			out = append(out, callPassage(&p.Call))
		}
		if len(p.Files) > 0 {
			out = append(out, Passage{Kind: WroteFile, Files: p.Files})
		}
	}
	return out
}

func callPassage(call *agent.Call) Passage {
	return Passage{Kind: CallPassage, Call: call.ToolUse, Command: call.Command, Edits: call.Edits}
}

func appendSaid(out []Passage, kind PassageKind, text string) []Passage {
	if text = strings.TrimSpace(text); text != "" {
		out = append(out, Passage{Kind: kind, Text: text})
	}
	return out
}

// Written returns what the edit call of a passage wrote, as [Line.Writes] returns it; nil for any other
// passage.
func (p Passage) Written() []Written { return writtenBy(p.Call.ID, p.Edits) }
