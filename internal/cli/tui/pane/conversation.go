package pane

import (
	"strings"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/prose"
)

// ConversationText returns messages as text, and the line at which each begins.
func ConversationText(s Screen, conversation facts.Conversation, marked int) (*Doc, []int) {
	doc := &Doc{}
	var starts []int
	speaker, rewinds := "", 0
	for i, e := range conversation.Entries {
		if i == 0 && e.Number > 1 {
			doc.Add(paint.L(paint.Span{Text: cliui.Count(e.Number-1, "message") + " before this", Role: paint.Faint}))
		}
		starts = append(starts, doc.Len())
		if e.Rewind == nil {
			rewinds = 0
		} else if rewinds++; i+1 < len(conversation.Entries) && conversation.Entries[i+1].Rewind != nil {
			continue // those with nothing between them are one line
		}
		if who := speakerOf(e.Message); who != speaker || e.IsPrompt() {
			speaker = who
			addHead(doc, s, e, i > 0, marked)
		}
		addEntry(doc, s, e, rewinds)
	}
	if n := len(conversation.Entries); n > 0 && conversation.Entries[n-1].Number < conversation.Total {
		doc.Add(nil, paint.L(paint.Span{Text: cliui.Count(conversation.Total-conversation.Entries[n-1].Number, "message") + " after this", Role: paint.Faint}))
	}
	if len(conversation.Entries) == 0 {
		doc.Add(paint.L(paint.Span{Text: "Nothing was said.", Role: paint.Faint}))
	}
	return doc, starts
}

// speakerOf names who says a message; a tool's result belongs to the agent.
func speakerOf(m agent.Message) string {
	name := m.Speaker()
	if m.AgentID != "" || m.Sidechain {
		name += ", subagent"
	}
	return name
}

// addHead appends the line that names the speaker.
func addHead(doc *Doc, s Screen, e facts.Entry, space bool, marked int) {
	if space {
		doc.Add(nil)
	}
	role := paint.Title
	if e.IsPrompt() {
		role = paint.Good
		doc.Mark()
	}
	line := paint.L(paint.Say(role, speakerOf(e.Message)), paint.Say(paint.Faint, "  #"+Itoa(e.Number)))
	if !e.Timestamp.IsZero() {
		line = append(line, paint.Say(paint.Faint, "  "+e.Timestamp.In(s.Zone).Format("Mon 2 Jan 15:04")))
	}
	if e.Rewound {
		line = append(line, paint.Span{Text: "  taken back by a rewind", Role: paint.Warn})
	}
	if e.Number == marked {
		line = line.Over(s.Theme, paint.OnMark, s.W)
	}
	doc.Add(line)
}

// addEntry appends what a message says: text whole, calls and results in a line each. rewinds counts those up to a rewind
// with nothing between them.
func addEntry(doc *Doc, s Screen, e facts.Entry, rewinds int) {
	inner := s
	if e.AgentID != "" || e.Sidechain {
		inner.W = max(s.W-2, 8)
	}
	var lines []paint.Line
	switch text := strings.TrimSpace(e.Content); {
	case e.Rewind != nil && rewinds > 1:
		lines = []paint.Line{paint.L(paint.Say(paint.Warn, Itoa(rewinds)+" rewinds took messages back"))}
	case e.Rewind != nil:
		lines = []paint.Line{paint.L(paint.Say(paint.Warn, "a rewind took messages back"))}
	case text == "":
	case e.Role == agent.RoleTool:
		lines = resultLine(inner, e.Message)
	case e.IsPrompt():
		lines = Quoted(inner, text, paint.Plain)
	case e.Role == agent.RoleAssistant:
		lines = prose.Lines(s.Theme, text, inner.W, CodeLines)
	default:
		lines = paint.L(paint.Say(paint.Faint, FirstWords(text))).Wrap(s.Theme, inner.W)
	}
	for _, call := range e.ToolCalls {
		lines = append(lines, paint.L(paint.Span{Text: s.Bullet + " ", Role: paint.Accent}, paint.Say(paint.Plain, s.Inside(sessionlib.CallLine(call)))))
	}
	for _, l := range lines {
		if inner.W != s.W {
			l = append(paint.L(paint.Gap(2)), l...)
		}
		doc.Add(l)
	}
}

// resultLine returns the result of a call: only that it failed, and how, needs a line.
func resultLine(s Screen, m agent.Message) []paint.Line {
	if !m.IsError {
		return nil
	}
	return []paint.Line{paint.L(paint.Span{Text: "  failed: ", Role: paint.Bad}, paint.Say(paint.Faint, FirstWords(m.Content))).Fit(s.Theme, s.W)}
}
