package panes

import (
	"fmt"
	"strings"

	"entire/agent"
	"entire/agent/conversation"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/prose"
	"entire/internal/timeline"
)

// A pointText is everything that is known of the point under the cursor.
type pointText struct {
	timeline.Details
	diff  *diffText // nil while it is read
	going []string  // what a rewind to the point would do, in words; nil while it is not known
	risk  paint.Role
}

const changesShown = 12

// addPoint appends what a point is, what was asked and said, and what it changed.
func addPoint(doc *Doc, s Screen, p *pointText) {
	doc.Add(pointHead(s, p)...)
	if len(p.Prompts) > 0 {
		doc.Add(nil)
		for i, prompt := range p.Prompts {
			if i > 0 {
				doc.Add(nil)
			}
			doc.Add(quoted(s, prompt, paint.Plain)...)
		}
	}
	if len(p.going) > 0 {
		doc.Add(nil)
		for _, words := range p.going {
			doc.Add(paint.L(paint.Say(p.risk, words)).Wrap(s.Theme, s.W)...)
		}
	}
	if len(p.Changes) > 0 {
		doc.Add(nil, section(s, "Changes", plusMinus(s, p.Insertions, p.Deletions)))
		doc.Add(changeList(s, p.Changes, changesShown)...)
	}
	if p.Answer != "" {
		doc.Mark()
		doc.Add(nil, section(s, "Answer", nil))
		doc.Add(prose.Lines(s.Theme, p.Answer, s.W, codeLines)...)
	}
	addSaid(doc, s, p)
}

// pointHead returns the two lines that name a point.
func pointHead(s Screen, p *pointText) []paint.Line {
	name := paint.L(paint.Span{Text: kindGlyph(s, p.Kind) + " ", Role: paint.LaneRole(p.Lane)}, paint.Say(paint.Strong, kindWords(p.Point)))
	if p.Agent != "" {
		name = append(name, paint.Say(paint.Plain, "  "+string(p.Agent)))
	}
	if p.Model != "" {
		name = append(name, paint.Say(paint.Faint, "  "+p.Model))
	}
	words := []string{p.When.In(s.Zone).Format("Mon 2 Jan 2006 15:04"), cliui.ShortID(p.ID)}
	if p.Session != "" {
		words = append(words, "session "+cliui.ShownSession(p.Session))
	}
	if p.Branch != "" {
		words = append(words, p.Branch)
	}
	if p.TakenBy != "" {
		words = append(words, "in commit "+cliui.ShortID(p.TakenBy))
	}
	if p.Author != "" {
		words = append(words, p.Author)
	}
	if t := tokens(p.Tokens); t != "" {
		words = append(words, t)
	}
	return append([]paint.Line{name}, paint.L(paint.Say(paint.Faint, strings.Join(words, "  "))).Wrap(s.Theme, s.W)...)
}

func tokens(u *agent.TokenUsage) string {
	if u == nil || u.Total() <= 0 {
		return ""
	}
	return cliui.ShortNumber(u.Total()) + " tokens"
}

func kindWords(p timeline.Point) string {
	switch p.Kind {
	case timeline.Turn:
		if p.Turn > 0 {
			return fmt.Sprintf("Turn %d", p.Turn)
		}
		return "Turn"
	case timeline.Task:
		return "Subagent's task"
	case timeline.Auto:
		return "Step within a turn"
	case timeline.Label:
		return "Label " + p.Label
	case timeline.Commit:
		return p.Message
	case timeline.Rewind:
		return capital(rewindWords(p))
	}
	return "Saved state"
}

// section returns the heading of a part.
func section(s Screen, title string, right paint.Line) paint.Line {
	left := paint.L(paint.Span{Text: title, Role: paint.Title})
	return paint.Row(s.Theme, s.W, left, right)
}

// quoted returns a text with a bar beside it.
func quoted(s Screen, text string, role paint.Role) []paint.Line {
	var out []paint.Line
	bar := paint.Span{Text: s.Quote, Role: paint.Accent}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		for _, l := range paint.L(paint.Say(role, strings.TrimRight(line, "\r\n"))).Wrap(s.Theme, max(s.W-2, 8)) {
			out = append(out, append(paint.L(bar, paint.Gap(1)), l...))
		}
	}
	return out
}

// addSaid appends what the agent thought, said and called before its answer.
func addSaid(doc *Doc, s Screen, p *pointText) {
	var lines []paint.Line
	calls := 0
	for i, passage := range p.Said {
		if passage.Kind == conversation.CallPassage {
			calls++
		}
		if passage.Kind == conversation.TextPassage && passage.Text == p.Answer && passage.Chain == "" && i >= lastText(p.Said) {
			continue
		}
		lines = append(lines, passageLines(s, passage)...)
	}
	if len(lines) == 0 {
		return
	}
	doc.Mark()
	title := "What the agent did"
	var right paint.Line
	if calls > 0 {
		right = paint.L(paint.Span{Text: cliui.Count(calls, "call"), Role: paint.Faint})
	}
	doc.Add(nil, section(s, title, right))
	if p.LeftOut > 0 {
		doc.Add(paint.L(paint.Span{Text: cliui.Count(p.LeftOut, "passage") + " before this", Role: paint.Faint}))
	}
	doc.Add(lines...)
}

// lastText returns the index of the last text of the main conversation.
func lastText(said []conversation.Passage) int {
	for i := len(said) - 1; i >= 0; i-- {
		if said[i].Kind == conversation.TextPassage && said[i].Chain == "" {
			return i
		}
	}
	return len(said)
}

// passageLines returns a passage: texts whole, a call or a result in one line.
func passageLines(s Screen, p conversation.Passage) []paint.Line {
	indent := ""
	if p.Chain != "" {
		indent = "  "
	}
	inner := s
	inner.W -= len(indent) + 2
	var lines []paint.Line
	switch p.Kind {
	case conversation.ThoughtPassage:
		lines = paint.L(paint.Say(paint.Faint, firstWords(p.Text))).Wrap(s.Theme, max(inner.W, 8))
	case conversation.TextPassage:
		lines = prose.Lines(s.Theme, p.Text, max(inner.W, 8), codeLines)
	case conversation.CallPassage:
		return []paint.Line{paint.L(paint.Span{Text: indent + s.Bullet + " ", Role: paint.Accent}, paint.Say(paint.Plain, strings.ReplaceAll(sessionlib.CallLine(p.Call), s.Top+"/", "")))}
	case conversation.ResultPassage:
		if !p.Failed {
			return nil
		}
		return []paint.Line{paint.L(paint.Span{Text: indent + "  failed: ", Role: paint.Bad}, paint.Say(paint.Faint, firstWords(p.Text)))}
	case conversation.PromptPassage:
		return quoted(inner, p.Text, paint.Faint)
	}
	out := make([]paint.Line, len(lines))
	for i, l := range lines {
		out[i] = append(paint.L(paint.Span{Text: indent + "  "}), l...)
	}
	return out
}

const wordsMax = 400

// firstWords returns the beginning of a text in one line.
func firstWords(text string) string { return cliui.ShortLine(text, wordsMax) }

// capital returns a text of this program with a capital letter.
func capital(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}
