package live

import (
	"strings"

	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/statuslib"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
	"entire/session"
)

// View returns the lines of the panel.
func (l *Live) View(s pane.Screen) []paint.Line {
	switch {
	case l.problem != "":
		return pane.Notice(s, l.problem, paint.Bad)
	case !l.known:
		return pane.Notice(s, "Looking"+s.Ellipsis, paint.Faint)
	}
	doc := &pane.Doc{}
	inner := s
	inner.W = min(s.W-1, 110)
	l.addSessions(doc, inner)
	addAgents(doc, inner, l.live.Status.Standings)
	addProblems(doc, inner, l.live.Status.Problems)
	l.scroll = doc.Scrolled(l.scroll, 0, s.H)
	return pane.Columns(s, [][]paint.Line{doc.View(l.scroll, s.H)}, []int{s.W}, []pane.Position{pane.At(l.scroll, s.H, doc.Len())})
}

func (l *Live) addSessions(doc *pane.Doc, s pane.Screen) {
	all := l.sessions()
	doc.Add(pane.Section(s, "Sessions", nil))
	if len(all) == 0 {
		doc.Add(paint.L(paint.Span{Text: "No session is open.", Role: paint.Faint}))
	}
	for i, one := range all {
		if i > 0 {
			doc.Add(nil)
		}
		for k, line := range l.row(s, one) {
			if i == l.at && k == 0 {
				line = line.Over(s.Theme, paint.OnCursor, s.W)
			}
			doc.Add(line)
		}
	}
}

// row returns the lines of a session: what it is, what was asked, and what the agent did last.
func (l *Live) row(s pane.Screen, one statuslib.ActiveSession) []paint.Line {
	glyph, role, word := s.Idle, paint.Accent, "waits"
	if one.Phase == session.PhaseActive {
		glyph, role, word = s.Active, paint.Good, "works"
	}
	age := ""
	if one.LastInteraction != nil {
		age = cliui.ShortAge(s.Now.Sub(*one.LastInteraction), *one.LastInteraction)
	}
	first := paint.L(paint.Span{Text: glyph + " ", Role: role}, paint.Say(paint.Strong, one.Agent), paint.Span{Text: " " + word, Role: role},
		paint.Say(paint.Faint, "  "+cliui.ShownSession(one.ID)))
	if one.Branch != "" {
		first = append(first, paint.Say(paint.Faint, "  "+one.Branch))
	}
	if !one.Here {
		first = append(first, paint.Say(paint.Faint, "  in "+cliui.ShownName(one.Worktree)))
	}
	out := []paint.Line{paint.Row(s.Theme, s.W, first, paint.L(paint.Say(paint.Faint, age)))}
	inner := s
	inner.W = s.W - 2
	last := l.live.Last[one.ID]
	prompt := last.Prompt
	if prompt == "" {
		prompt = one.Prompt
	}
	add := func(lines ...paint.Line) {
		for _, line := range lines {
			out = append(out, append(paint.L(paint.Gap(2)), line...))
		}
	}
	if prompt != "" {
		add(pane.Quoted(inner, cliui.ShortLine(prompt, 4*cliui.PromptRunes), paint.Plain)...)
	}
	if last.Words != "" {
		did := paint.L(paint.Span{Text: s.Bullet + " ", Role: paint.Accent}, paint.Say(paint.Plain, s.Inside(last.Words)))
		when := ""
		if !last.At.IsZero() {
			when = cliui.ShortAge(s.Now.Sub(last.At), last.At)
		}
		add(paint.Row(s.Theme, inner.W, did, paint.L(paint.Say(paint.Faint, when))))
	}
	var words []string
	if one.Turns > 0 {
		words = append(words, cliui.Count(one.Turns, "turn")+" since the commit")
	}
	if len(one.Files) > 0 {
		words = append(words, cliui.Count(len(one.Files), "file")+" not committed: "+cliui.SomeNames(one.Files))
	}
	if one.Tokens > 0 {
		words = append(words, cliui.ShortNumber(one.Tokens)+" tokens")
	}
	if len(words) > 0 {
		add(paint.L(paint.Say(paint.Faint, strings.Join(words, "  "))).Fit(s.Theme, inner.W))
	}
	return out
}

// addAgents appends how each agent stands here, an alarm first of all.
func addAgents(doc *pane.Doc, s pane.Screen, all []agentlib.View) {
	if len(all) == 0 {
		return
	}
	doc.Add(nil, pane.Section(s, "Capture", nil))
	for _, a := range all {
		switch {
		case a.Alarm != nil:
			text := a.Agent + " worked here " + cliui.Ago(s.Now.Sub(a.Alarm.Worked)) + ", and nothing was captured: " + a.Alarm.Why
			doc.Add(paint.L(paint.Span{Text: s.Lost + " ", Role: paint.Bad}, paint.Say(paint.Bad, text)).Wrap(s.Theme, s.W)...)
			if a.Alarm.Hint != "" {
				doc.Add(paint.L(paint.Gap(2), paint.Say(paint.Plain, a.Alarm.Hint)).Wrap(s.Theme, s.W)...)
			}
		case a.NeverHeard:
			doc.Add(paint.L(paint.Span{Text: s.Idle + " ", Role: paint.Warn}, paint.Say(paint.Plain, a.Agent), paint.Span{Text: "  has never called its hooks", Role: paint.Faint}))
		case a.LastEvent != nil:
			doc.Add(paint.L(paint.Span{Text: s.Active + " ", Role: paint.Good}, paint.Say(paint.Plain, a.Agent), paint.Span{Text: "  last heard " + cliui.Ago(s.Now.Sub(*a.LastEvent)), Role: paint.Faint}))
		}
	}
}

func addProblems(doc *pane.Doc, s pane.Screen, all []statuslib.Problem) {
	for i, p := range all {
		if i == 0 {
			doc.Add(nil, pane.Section(s, "Problems", nil))
		}
		text := p.Why
		if p.Subject != "" {
			text = p.Subject + ": " + text
		}
		doc.Add(paint.L(paint.Span{Text: s.Lost + " ", Role: paint.Warn}, paint.Say(paint.Plain, s.Inside(text))).Wrap(s.Theme, s.W)...)
		if p.Hint != "" {
			doc.Add(paint.L(paint.Gap(2), paint.Say(paint.Faint, p.Hint)).Wrap(s.Theme, s.W)...)
		}
	}
}
