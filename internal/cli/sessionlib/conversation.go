package sessionlib

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/term"
)

const (
	ConversationWidth  = 100 // of cut lines, if the screen's width is unknown
	ShortUUID          = 8
	conversationIndent = "  "
	resultArrow        = "← "
	callArrow          = "→ "
)

// A ConversationWriter writes a conversation for people, message by message: text in full, tool calls and
// results in a line each.
type ConversationWriter struct {
	out    io.Writer
	t      term.Terminal
	width  int               // of cut lines
	folder string            // the agent's; paths below it are relative to it
	tools  map[string]string // tools of the calls without a result yet
	Last   string            // the speaker of the previous message
	day    string

	rewound bool // a rewind removed the last written message
}

// NewConversationWriter returns a writer to out for a screen of that width, 0 if unknown.
func NewConversationWriter(out io.Writer, t term.Terminal, width int, folder string) *ConversationWriter {
	if width <= 0 {
		width = ConversationWidth
	}
	return &ConversationWriter{out: out, t: t, width: max(width, 20), folder: strings.TrimSuffix(folder, "/"), tools: map[string]string{}}
}

// add writes one message.
func (tw *ConversationWriter) add(m agent.Message) error {
	var b strings.Builder
	if speaker := speakerOf(m); m.Role != agent.RoleTool && (speaker != tw.Last || m.Role == agent.RoleUser) {
		tw.head(&b, m, speaker)
		tw.Last = speaker
	}
	switch {
	case m.Role == agent.RoleTool:
		tw.result(&b, m)
	case m.IsNote():
		writeIndented(&b, tw.t.Styled(term.Faint, tw.cut(m.Content, len(conversationIndent))))
	default:
		writeIndented(&b, strings.TrimSpace(cliui.Printable(m.Content)))
	}
	for _, call := range m.ToolCalls {
		tw.tools[call.ID] = call.Name
		writeIndented(&b, tw.t.Styled(term.Faint, callArrow)+tw.cut(CallLine(call), len(conversationIndent)+2))
	}
	_, err := io.WriteString(tw.out, b.String())
	return err
}

// speakerOf names the speaker of a message.
func speakerOf(m agent.Message) string {
	name := m.Speaker()
	switch {
	case m.AgentID != "":
		return name + " (subagent " + cliui.ShownLine(m.AgentID) + ")"
	case m.Sidechain:
		return name + " (subagent)"
	}
	return name
}

func (tw *ConversationWriter) head(b *strings.Builder, m agent.Message, speaker string) {
	if tw.Last != "" {
		b.WriteString("\n")
	}
	style := term.Strong
	switch {
	case m.IsNote(), m.Role == agent.RoleSystem:
		style = term.Faint
	case m.Role == agent.RoleUser:
		style = term.Good
	}
	if tw.rewound {
		speaker += ", rewound"
		style = term.Faint
	}
	b.WriteString(tw.t.Styled(style, "["+speaker+"]"))
	rest := ""
	if when := tw.when(m.Timestamp); when != "" {
		rest = " " + when
	}
	b.WriteString(tw.t.Styled(term.Faint, rest+" "+cliui.ShownLine(cliui.ShortOf(m.UUID, ShortUUID))))
	b.WriteString("\n")
}

// when returns the time of a message, with the day if it differs from the previous one.
func (tw *ConversationWriter) when(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	at = at.Local()
	if day := at.Format("2006-01-02"); day != tw.day {
		tw.day = day
		return at.Format("2006-01-02 15:04:05")
	}
	return at.Format("15:04:05")
}

func (tw *ConversationWriter) result(b *strings.Builder, m agent.Message) {
	name := m.ToolName
	if name == "" {
		name = tw.tools[m.ToolCallID]
	}
	delete(tw.tools, m.ToolCallID)
	text := strings.TrimSpace(m.Content)
	before, after := "", ""
	if name != "" {
		before = cliui.ShownLine(name) + ": "
	}
	if n := strings.Count(text, "\n"); n > 0 {
		after = fmt.Sprintf(" (%d more %s)", n, cliui.Plural(n, "line", "lines"))
	}
	style := term.Faint
	if m.IsError {
		style, before = term.Bad, before+"failed: "
	}
	text = strings.TrimPrefix(text, before)
	if text == "" {
		text = "(nothing)"
	}
	said := tw.cut(cliui.FirstLine(text), len(conversationIndent)+2+len(before)+len(after))
	writeIndented(b, tw.t.Styled(style, resultArrow+before+said+after))
}

// cut returns foreign text as one line that leaves room columns free, without the agent's folder.
func (tw *ConversationWriter) cut(text string, room int) string {
	if tw.folder != "" {
		text = strings.ReplaceAll(text, tw.folder+"/", "")
	}
	width := max(tw.width-room, 10)
	return term.Cut(cliui.ShortLine(text, 4*width), width)
}

func writeIndented(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			b.WriteString(conversationIndent)
		}
		b.WriteString(line + "\n")
	}
}

// CallLine returns a tool's name and the argument that best describes the call.
func CallLine(call agent.ToolUse) string {
	if files := agent.EditedFiles(call); len(files) > 0 {
		return call.Name + ": " + strings.Join(files, ", ")
	}
	input := gjson.ParseBytes(call.Input)
	for _, key := range []string{"file_path", "filePath", "notebook_path", "absolute_path", "command", "cmd", "pattern", "url", "query", "skill", "description", "path"} {
		if v := input.Get(key); v.Type == gjson.String && v.Str != "" {
			return call.Name + ": " + v.Str
		}
	}
	if input.IsObject() && len(input.Map()) > 0 {
		return call.Name + ": " + input.Get("@ugly").Raw
	}
	return call.Name
}
