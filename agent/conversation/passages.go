package conversation

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/gemini"
	"entire/agent/generic"
	"entire/agent/internal/jsontext"
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
	CallID string        // for Gemini's calls without an ID as in Message
	Failed bool          // Resulted: the tool failed
	Files  []string
	// Command and Edits are those of a call whose agent's adapter knows them; see Written.
	Command string
	Edits   []agent.Edit

	Item  int    // the number of the line, or of the Gemini message, from 0
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
	add := func(item int, more []Passage) {
		for i := range more {
			more[i].Item = item
		}
		out = append(out, more...)
	}
	if t == agent.AgentTypeGemini {
		seen := map[string]int{}
		for _, e := range finalMessagesOf(transcript).entries {
			e.Name(seen)
			add(e.n, geminiPassages(&e.Message))
		}
		return out
	}
	item := 0
	subagent := "" // whose the rest of the transcript is
	agent.EachFinalLine(transcript, func(line []byte) {
		add(item, linePassages(t, line, &subagent))
		item++
	})
	return out
}

func linePassages(t agent.AgentType, line []byte, subagent *string) []Passage {
	if records, _, reads := recordsIn(t, line); reads {
		for i := range records {
			if r := &records[i]; r.OwnTranscript {
				*subagent = agent.Clip(r.Subagent, agent.MaxName)
			}
		}
		out := recordPassages(records)
		for i := range out {
			if out[i].Chain == agent.MainChain {
				out[i].Chain = *subagent
			}
		}
		return out
	}
	var g generic.Line
	if t != agent.AgentTypeClaudeCode && g.Scan(line) {
		return genericPassages(&g)
	}
	var l claude.Line
	if l.Scan(line) && l.Kind != "" {
		return claudePassages(&l)
	}
	return nil
}

func claudePassages(l *claude.Line) []Passage {
	var out []Passage
	c := claude.ContentOf(l.Message.Content)
	if l.Kind == "user" {
		l.AgentIDs(func(agentID string) {
			if len(c.Results) > 0 && len(out) == 0 {
				out = append(out, Passage{Kind: ResultPassage, CallID: c.Results[0].CallID, AgentIDs: []string{agentID}})
			}
		})
		out = append(out, resulted(&c)...)
		text := l.Prompt()
		if l.Sidechain && !l.Injected {
			text = agent.CleanPrompt(c.Text())
		}
		out = prompted(out, text)
	} else {
		claude.EachBlock(l.Message.Content, func(b *claude.Block) { out = passage(b, out) })
		if jsontext.At(l.Message.Content, 0) == '"' {
			out = appendSaid(out, TextPassage, c.Text())
		}
	}
	model := l.Message.Model
	if model == agent.SyntheticModel {
		model = ""
	}
	return withContext(out, l.Chain(), agent.Clip(model, agent.MaxName), ParseTimestamp(l.Timestamp))
}

// passage appends the passage of one of the agent's blocks.
func passage(b *claude.Block, out []Passage) []Passage {
	switch {
	case b.IsCall():
		return append(out, Passage{Kind: CallPassage, Call: agent.ToolUse{ID: strings.Clone(jsontext.Unquote(b.ID)), Name: strings.Clone(jsontext.Unquote(b.Name)), Input: claude.RawInput(b.Input)}})
	case b.Kind == "thinking":
		return appendSaid(out, ThoughtPassage, jsontext.Unquote(b.Thinking))
	case b.Kind == "text" || b.Kind == "":
		return appendSaid(out, TextPassage, jsontext.Unquote(b.Text))
	}
	return out
}

func appendSaid(out []Passage, kind PassageKind, text string) []Passage {
	if text = strings.TrimSpace(text); text != "" {
		out = append(out, Passage{Kind: kind, Text: strings.Clone(text)})
	}
	return out
}

func prompted(out []Passage, text string) []Passage { return appendSaid(out, PromptPassage, text) }

func resulted(c *claude.Content) []Passage {
	var out []Passage
	for _, r := range c.Results {
		out = append(out, Passage{Kind: ResultPassage, CallID: strings.Clone(r.CallID), Text: strings.Clone(r.Text), Failed: r.IsError})
	}
	return out
}

// withContext sets the chain, the model and, if missing, the time of passages.
func withContext(out []Passage, chain, model string, at time.Time) []Passage {
	for i := range out {
		out[i].Chain, out[i].Model = chain, model
		if out[i].Time.IsZero() {
			out[i].Time = at
		}
	}
	return out
}

func genericPassages(l *generic.Line) []Passage {
	var out []Passage
	c := blocks(l)
	switch l.Role {
	case "user", "human":
		out = prompted(resulted(&c), l.Prompt())
	case "assistant":
		out = appendSaid(out, TextPassage, c.Text())
		for _, call := range c.Calls {
			out = append(out, Passage{Kind: CallPassage, Call: call})
		}
	case "tool":
		out = resulted(&c)
		if l.Name != "" || l.Command != "" {
			out = append(out, Passage{Kind: CallPassage, Call: agent.ToolUse{ID: l.ID, Name: l.Name, Input: CommandInput(l.Command)}})
		}
	}
	if files := l.Wrote(); len(files) > 0 {
		out = append(out, Passage{Kind: WroteFile, Files: files})
	}
	return withContext(out, agent.MainChain, agent.Clip(l.Model, agent.MaxName), ParseTimestamp(l.Time))
}

func CommandInput(command string) []byte {
	if command == "" {
		return nil
	}
	return []byte(`{"command":` + jsontext.Quote(command) + `}`)
}

func geminiPassages(m *gemini.Message) []Passage {
	var out []Passage
	if m.Kind == "user" {
		out = prompted(out, m.Prompt())
	}
	if m.Kind != "gemini" {
		return withContext(out, agent.MainChain, "", ParseTimestamp(m.Timestamp))
	}
	gjson.ParseBytes(m.Thoughts).ForEach(func(_, v gjson.Result) bool {
		text := strings.TrimSpace(strings.Join([]string{v.Get("subject").String(), v.Get("description").String()}, "\n"))
		out = appendSaid(out, ThoughtPassage, jsontext.ValidUTF8(text))
		return true
	})
	out = appendSaid(out, TextPassage, m.Answer())
	n := 0
	m.EachCall(func(c gemini.Call) {
		n++
		if c.ID == "" || len(c.ID) > agent.MaxName {
			c.ID = fmt.Sprintf("%s/call-%d", m.ID, n)
		}
		out = append(out, Passage{Kind: CallPassage, Call: agent.ToolUse{ID: c.ID, Name: c.Name, Input: claude.RawInput([]byte(c.Args.Raw))}})
		if !c.Open() {
			a := c.Answer()
			done := Passage{Kind: ResultPassage, CallID: c.ID, Text: a.Content, Failed: a.IsError, Time: ParseTimestamp(c.Ended)}
			if c.AgentID != "" {
				done.AgentIDs = []string{c.AgentID}
			}
			out = append(out, done)
		}
	})
	return withContext(out, agent.MainChain, agent.Clip(m.Model, agent.MaxName), ParseTimestamp(m.Timestamp))
}

// Written returns what the edit call of a passage wrote, as [WritesIn] returns it; nil for any other
// passage.
func (p Passage) Written() []Written {
	if len(p.Edits) > 0 {
		return writtenBy(p.Call.ID, p.Edits)
	}
	return writtenByInput(p.Call)
}

// writtenByInput returns what a call wrote according to its input.
func writtenByInput(call agent.ToolUse) []Written {
	input := gjson.ParseBytes(call.Input)
	switch {
	case call.ID == "":
		return nil
	case call.Name == "apply_patch" && input.Get("input").Type == gjson.String:
		return patchWrites(call.ID, jsontext.ValidUTF8(input.Get("input").Str))
	case isEditTool(call.Name):
		return appendEdit(nil, call.ID, jsontext.ValidUTF8(agent.FirstString(input, "file_path", "notebook_path")), input)
	}
	c := gemini.Call{ID: call.ID, Name: call.Name, Args: input}
	if path := c.Edits(); path != "" {
		return appendEdit(nil, call.ID, path, input)
	}
	return nil
}
