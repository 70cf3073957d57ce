package past

import (
	"fmt"
	"strings"

	"entire/internal/cli/tui/pane"

	"entire/agent"
	"entire/agent/conversation"
	"entire/internal/cli/cliui"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/prose"
	"entire/internal/timeline"
)

// A pointText is everything that is known of the point under the cursor.
type pointText struct {
	timeline.Details
	diff  *pane.DiffText // nil while it is read
	going []string       // what a rewind to the point would do, in words; nil while it is not known
	risk  paint.Role
}

// addPoint appends what a point is, what was asked and said, and what it changed.
func addPoint(doc *pane.Doc, s pane.Screen, p *pointText) {
	doc.Add(pointHead(s, p)...)
	if len(p.Prompts) > 0 {
		doc.Add(nil)
		for i, prompt := range p.Prompts {
			if i > 0 {
				doc.Add(nil)
			}
			doc.Add(pane.Quoted(s, prompt, paint.Plain)...)
		}
	}
	if len(p.going) > 0 {
		doc.Add(nil)
		for _, words := range p.going {
			doc.Add(paint.L(paint.Say(p.risk, words)).Wrap(s.Theme, s.W)...)
		}
	}
	if len(p.Changes) > 0 {
		doc.Add(nil, pane.Section(s, "Changes", pane.PlusMinus(s, p.Insertions, p.Deletions)))
		doc.Add(pane.ChangeList(s, p.Changes, pane.ChangesShown)...)
	}
	if p.Answer != "" {
		doc.Mark()
		doc.Add(nil, pane.Section(s, "Answer", nil))
		doc.Add(prose.Lines(s.Theme, p.Answer, s.W, pane.CodeLines)...)
	}
	addSaid(doc, s, p)
}

// pointHead returns the two lines that name a point.
func pointHead(s pane.Screen, p *pointText) []paint.Line {
	name := paint.L(paint.Span{Text: pane.KindGlyph(s, p.Kind) + " ", Role: paint.LaneRole(p.Lane)}, paint.Say(paint.Strong, kindWords(p.Point)))
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
		return pane.Capital(pane.RewindWords(p))
	}
	if p.Kind == timeline.Outside {
		return "Changes outside turns"
	}
	return "Saved state"
}

// addSaid appends what the agent thought, said and called before its answer.
func addSaid(doc *pane.Doc, s pane.Screen, p *pointText) {
	var lines []paint.Line
	calls := 0
	for i, passage := range p.Said {
		if passage.Kind == conversation.CallPassage {
			calls++
		}
		if passage.Kind == conversation.TextPassage && passage.Text == p.Answer && passage.Chain == "" && i >= lastText(p.Said) {
			continue
		}
		lines = append(lines, pane.PassageLines(s, passage)...)
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
	doc.Add(nil, pane.Section(s, title, right))
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
