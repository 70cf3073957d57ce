package agent

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// PassageKind is the kind of a Passage.
type PassageKind uint8

// The kinds of passage.
const (
	Prompted  PassageKind = iota // what a person typed, cleaned; a subagent's task
	Thought                      // what the model thought, if the transcript has it
	Remarked                     // the agent's text
	Called                       // a call of a tool
	Resulted                     // the result of the call CallID
	WroteFile                    // a line that only names files as written: Files
)

// Passage is one thing said or done in a transcript, in the order of its lines. Unlike
// Message, it includes what the model thought.
type Passage struct {
	Kind   PassageKind
	Text   string  // Prompted, Thought, Remarked, Resulted
	Call   ToolUse // Called
	CallID string  // for Gemini's calls without an ID as in Message
	Failed bool    // Resulted: the tool failed
	Files  []string

	Item  int    // the number of the line, or of the Gemini message, from 0
	Chain string // "" for the main conversation, otherwise the subagent's ID
	Model string
	Time  time.Time
	// AgentIDs are the subagents that a result names.
	AgentIDs []string
}

// Passages returns the passages of a whole, complete transcript. It skips what cannot be
// read.
func Passages(t AgentType, transcript []byte) []Passage {
	t = readerOf(t, transcript)
	var out []Passage
	add := func(item int, more []Passage) {
		for i := range more {
			more[i].Item = item
		}
		out = append(out, more...)
	}
	if t == AgentTypeGemini {
		seen := map[string]int{}
		for _, e := range geminiThreadOf(transcript).entries {
			e.name(seen)
			add(e.n, e.passages())
		}
		return out
	}
	item := 0
	wholeFile(transcript, func(line []byte) {
		add(item, linePassages(t, line))
		item++
	})
	return out
}

func linePassages(t AgentType, line []byte) []Passage {
	var g genericLine
	if t != AgentTypeClaudeCode && g.scan(line) {
		return g.passages()
	}
	var l claudeLine
	if l.scan(line) && l.kind != "" {
		return l.passages()
	}
	return nil
}

func (l *claudeLine) passages() []Passage {
	var out []Passage
	c := contentOf(l.message.content)
	if l.kind == "user" {
		l.agentIDs(func(agentID string) {
			if len(c.results) > 0 && len(out) == 0 {
				out = append(out, Passage{Kind: Resulted, CallID: c.results[0].callID, AgentIDs: []string{agentID}})
			}
		})
		out = append(out, resulted(&c)...)
		text := l.prompt()
		if l.sidechain && !l.injected {
			text = CleanPrompt(c.text())
		}
		out = prompted(out, text)
	} else {
		eachBlock(l.message.content, func(b *block) { out = b.passage(out) })
		if at(l.message.content, 0) == '"' {
			out = appendSaid(out, Remarked, c.text())
		}
	}
	model := l.message.model
	if model == syntheticModel {
		model = ""
	}
	return dressed(out, l.chain(), clip(model, maxName), moment(l.timestamp))
}

// passage appends the passage of one of the agent's blocks.
func (b *block) passage(out []Passage) []Passage {
	switch {
	case b.isCall():
		return append(out, Passage{Kind: Called, Call: ToolUse{ID: strings.Clone(unquote(b.id)), Name: strings.Clone(unquote(b.name)), Input: rawInput(b.input)}})
	case b.kind == "thinking":
		return appendSaid(out, Thought, unquote(b.thinking))
	case b.kind == "text" || b.kind == "":
		return appendSaid(out, Remarked, unquote(b.text))
	}
	return out
}

func appendSaid(out []Passage, kind PassageKind, text string) []Passage {
	if text = strings.TrimSpace(text); text != "" {
		out = append(out, Passage{Kind: kind, Text: strings.Clone(text)})
	}
	return out
}

func prompted(out []Passage, text string) []Passage { return appendSaid(out, Prompted, text) }

func resulted(c *content) []Passage {
	var out []Passage
	for _, r := range c.results {
		out = append(out, Passage{Kind: Resulted, CallID: strings.Clone(r.callID), Text: strings.Clone(r.text), Failed: r.isError})
	}
	return out
}

// dressed sets the chain, the model and, if missing, the time of passages.
func dressed(out []Passage, chain, model string, at time.Time) []Passage {
	for i := range out {
		out[i].Chain, out[i].Model = chain, model
		if out[i].Time.IsZero() {
			out[i].Time = at
		}
	}
	return out
}

func (l *genericLine) passages() []Passage {
	var out []Passage
	c := l.blocks()
	switch l.role {
	case "user", "human":
		out = prompted(resulted(&c), l.prompt())
	case "assistant":
		out = appendSaid(out, Remarked, c.text())
		for _, call := range c.calls {
			out = append(out, Passage{Kind: Called, Call: call})
		}
	case "tool":
		out = resulted(&c)
		if l.name != "" || l.command != "" {
			out = append(out, Passage{Kind: Called, Call: ToolUse{ID: l.id, Name: l.name, Input: commandInput(l.command)}})
		}
	}
	if files := l.wrote(); len(files) > 0 {
		out = append(out, Passage{Kind: WroteFile, Files: files})
	}
	return dressed(out, mainChain, clip(l.model, maxName), moment(l.time))
}

func commandInput(command string) []byte {
	if command == "" {
		return nil
	}
	return []byte(`{"command":` + quote(command) + `}`)
}

func (m *geminiMessage) passages() []Passage {
	var out []Passage
	if m.kind == "user" {
		out = prompted(out, m.prompt())
	}
	if m.kind != "gemini" {
		return dressed(out, mainChain, "", moment(m.timestamp))
	}
	gjson.ParseBytes(m.thoughts).ForEach(func(_, v gjson.Result) bool {
		text := strings.TrimSpace(strings.Join([]string{v.Get("subject").String(), v.Get("description").String()}, "\n"))
		out = appendSaid(out, Thought, valid(text))
		return true
	})
	out = appendSaid(out, Remarked, m.answer())
	n := 0
	m.eachCall(func(c geminiCall) {
		n++
		if c.id == "" || len(c.id) > maxName {
			c.id = fmt.Sprintf("%s/call-%d", m.id, n)
		}
		out = append(out, Passage{Kind: Called, Call: ToolUse{ID: c.id, Name: c.name, Input: rawInput([]byte(c.args.Raw))}})
		if !c.open() {
			a := c.answer()
			out = append(out, Passage{Kind: Resulted, CallID: c.id, Text: a.Content, Failed: a.IsError, Time: moment(c.ended)})
		}
	})
	return dressed(out, mainChain, clip(m.model, maxName), moment(m.timestamp))
}

// WrittenBy returns what an edit call wrote, as [WritesIn] returns it; nil for any other
// tool.
func WrittenBy(call ToolUse) []Written {
	input := gjson.ParseBytes(call.Input)
	switch {
	case call.ID == "":
		return nil
	case call.Name == "apply_patch" && input.Get("input").Type == gjson.String:
		return patchWrites(call.ID, valid(input.Get("input").Str))
	case isEditTool(call.Name):
		return appendEdit(nil, call.ID, valid(firstText(input, "file_path", "notebook_path")), input)
	}
	c := geminiCall{id: call.ID, name: call.Name, args: input}
	if path := c.edits(); path != "" {
		return appendEdit(nil, call.ID, path, input)
	}
	return nil
}
