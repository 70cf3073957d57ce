package view

import (
	"html/template"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
)

// A Said is one message of a conversation with its number in the whole.
type Said struct {
	Number int `json:"message"`
	sessionlib.SaidEntry
	Bad    string  `json:"error,omitempty"` // why it cannot be read
	Images []Image `json:"images,omitempty"`
}

// An Image is one that belongs to a message.
type Image struct {
	Link string `json:"-"`
	Type string `json:"type"`
}

// A Entry is a part of a conversation as a page shows it.
type Entry struct {
	Said
	Kind  string // prompt, answer, note, rewind, call, result, bad, agent
	Text  template.HTML
	Plain string // the text of a result or a note
	Cut   int
	Calls []EntryCall
	Sub   []Entry // of a subagent
	Times int     // how many rewinds before this one had nothing between them
}

// A EntryCall is a tool's call, with its result if that is in the same part.
type EntryCall struct {
	Tool, About string
	Input       string
	Result      string
	Images      []Image
	Failed      bool
	Cut         int
}

// Bounds of the text of one message.
const (
	saidTextMax   = 16 << 10
	saidResultMax = 3000
)

// Entries returns a part of a conversation as a page shows it: results with their calls, and what a subagent said
// and did as one. Paths below folder are shown from there. It uses the room that there is, and returns how many
// messages had room: at least one.
func Entries(said []Said, folder string, r *Room) ([]Entry, int) {
	var out []Entry
	t := entryMaker{strings.TrimSuffix(folder, "/") + "/", r}
	at := map[string][2]int{} // of calls without a result: the conversation, and the call in it
	sub := -1
	n := 0
	for i, m := range said {
		if n = i; i > 0 && r.Full() {
			break
		}
		n++
		if name := chainOf(m); name != "" {
			if sub < 0 || out[sub].AgentID != m.AgentID {
				sub = len(out)
				out = append(out, Entry{Said: Said{Number: m.Number, SaidEntry: m.SaidEntry}, Kind: "agent", Plain: name})
			}
			out[sub].Sub = append(out[sub].Sub, t.conversation(m))
			continue
		}
		sub = -1
		if m.Role == agent.RoleTool {
			if k, ok := at[m.ToolCallID]; ok {
				out[k[0]].Calls[k[1]].take(m, r)
				delete(at, m.ToolCallID)
				continue
			}
		}
		one := t.conversation(m)
		if k := len(out) - 1; one.Kind == "rewind" && k >= 0 && out[k].Kind == "rewind" {
			one.Times = out[k].Times + 1
			out[k] = one
			continue
		}
		for k, call := range m.ToolCalls {
			at[call.ID] = [2]int{len(out), k}
		}
		out = append(out, one)
	}
	return out, n
}

// chainOf names the subagent that a message belongs to, "" for none.
func chainOf(m Said) string {
	switch {
	case m.AgentID != "":
		return "subagent " + m.AgentID
	case m.Sidechain:
		return "subagent"
	}
	return ""
}

// A entryMaker shows the messages of one page.
type entryMaker struct {
	folder string
	room   *Room
}

func (tk entryMaker) conversation(m Said) Entry {
	r := tk.room
	t := Entry{Said: m, Kind: "answer"}
	text := strings.TrimSpace(m.Content)
	switch {
	case m.Bad != "":
		t.Kind, t.Plain = "bad", m.Bad
		return t
	case m.SaidEntry.Rewind != nil:
		t.Kind, t.Plain = "rewind", "the conversation was rewound to its beginning"
		if m.SaidEntry.Rewind.To != "" {
			t.Plain = "the conversation was rewound to message " + cliui.ShortOf(m.SaidEntry.Rewind.To, sessionlib.ShortUUID)
		}
		return t
	case m.Role == agent.RoleTool:
		t.Kind = "result"
		t.Plain = r.Cut(text, saidResultMax)
		t.Cut = len(text) - len(t.Plain)
		return t
	case m.IsNote(), m.Role == agent.RoleSystem:
		t.Kind = "note"
		t.Plain = r.Cut(text, saidResultMax)
		t.Cut = len(text) - len(t.Plain)
		return t
	case m.Role == agent.RoleUser:
		t.Kind = "prompt"
	}
	short := r.Cut(text, saidTextMax)
	t.Text, t.Cut = Prose(short), len(text)-len(short)
	for _, call := range m.ToolCalls {
		t.Calls = append(t.Calls, tk.call(call))
	}
	return t
}

func (tk entryMaker) call(call agent.ToolUse) EntryCall {
	_, about, _ := strings.Cut(sessionlib.CallLine(call), ": ")
	c := EntryCall{Tool: call.Name, About: cliui.ShortLine(strings.ReplaceAll(about, tk.folder, ""), 200)}
	input := InputText(call.Input)
	c.Input = tk.room.Cut(input, saidResultMax)
	c.Cut = len(input) - len(c.Input)
	return c
}

// InputText returns the input of a call as text: a member on each line, and a text of several lines below its
// name.
func InputText(raw []byte) string {
	var b strings.Builder
	input := gjson.ParseBytes(raw)
	if !input.IsObject() {
		return string(raw)
	}
	input.ForEach(func(key, value gjson.Result) bool {
		text := value.Raw
		if value.Type == gjson.String {
			text = value.Str
		}
		b.WriteString(key.Str + ":")
		if strings.Contains(text, "\n") {
			b.WriteString("\n  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n")
		} else {
			b.WriteString(" " + text + "\n")
		}
		return true
	})
	return strings.TrimSuffix(b.String(), "\n")
}

// take adds the result of a call.
func (c *EntryCall) take(m Said, r *Room) {
	text := strings.TrimSpace(m.Content)
	c.Result, c.Failed, c.Images = r.Cut(text, saidResultMax), m.IsError, m.Images
	c.Cut += len(text) - len(c.Result)
}
