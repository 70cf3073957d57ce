package sessions

import (
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
)

const rowLines = 2 // of a session in the list

func (s *Sessions) wide() bool { return s.w >= 96 }

// listWidth is the width of the list.
func (s *Sessions) listWidth() int {
	if s.wide() {
		return min(64, max(40, s.w*38/100))
	}
	return s.w
}

// conversationWidth is the width of the conversation.
func (s *Sessions) conversationWidth() int {
	if s.wide() {
		return s.w - s.listWidth() - pane.Gutter
	}
	return s.w
}

// View returns the lines of the panel.
func (s *Sessions) View(sc pane.Screen) []paint.Line {
	switch {
	case s.problem != "":
		return pane.Notice(sc, s.problem, paint.Bad)
	case s.known && len(s.all) == 0:
		return pane.Notice(sc, "No session in this project yet.", paint.Plain)
	}
	list, conversation := sc, sc
	list.W, list.Focus = s.listWidth(), sc.Focus && s.part == listPart
	conversation.W, conversation.Focus = s.conversationWidth()-1, sc.Focus && s.part == conversationPart
	switch {
	case s.wide():
		rows, at := s.viewList(list)
		lines, where := s.viewConversation(conversation)
		return pane.Columns(sc, [][]paint.Line{rows, lines}, []int{list.W, conversation.W + 1}, []pane.Position{at, where})
	case s.part == conversationPart:
		lines, where := s.viewConversation(conversation)
		return pane.Columns(sc, [][]paint.Line{lines}, []int{sc.W}, []pane.Position{where})
	}
	list.W--
	rows, at := s.viewList(list)
	return pane.Columns(sc, [][]paint.Line{rows}, []int{sc.W}, []pane.Position{at})
}

func (s *Sessions) viewList(sc pane.Screen) ([]paint.Line, pane.Position) {
	fit := max(sc.H/rowLines, 1)
	s.top = max(min(s.top, s.at), s.at-fit+1)
	var out []paint.Line
	for i := s.top; i < min(s.top+fit, len(s.all)); i++ {
		rows := s.row(sc, s.all[i])
		if i == s.at {
			for k := range rows {
				rows[k] = sc.Chosen(rows[k])
			}
			rows[0][0].Text = sc.Cursor
		}
		out = append(out, rows...)
	}
	return out, pane.At(s.top, fit, len(s.all))
}

// row returns the lines of a session: its title, and its circumstances.
func (s *Sessions) row(sc pane.Screen, one sessionlib.ListedSession) []paint.Line {
	glyph, role := sc.Ended, paint.Faint
	switch one.State {
	case sessionlib.StateActive:
		glyph, role = sc.Active, paint.Good
	case sessionlib.StateIdle:
		glyph, role = sc.Idle, paint.Accent
	}
	title := sessionlib.TitleOf(one)
	age := paint.L(paint.Say(paint.Faint, cliui.ShortAge(sc.Now.Sub(one.Updated), one.Updated)))
	first := paint.Row(sc.Theme, sc.W, paint.L(paint.Span{Text: " ", Role: paint.Accent}, paint.Span{Text: glyph + " ", Role: role}, paint.Say(paint.Plain, title)), age)
	return []paint.Line{first, append(paint.L(paint.Gap(3)), s.about(sc, one)...)}
}

// about returns the agent, model, turns, tokens and tags of a session.
func (s *Sessions) about(sc pane.Screen, one sessionlib.ListedSession) paint.Line {
	words := []string{sessionlib.AgentWord(one)}
	if sc.W >= 60 {
		words = append([]string{s.name(one)}, words...)
	}
	if sc.W >= 40 && one.Model != "" {
		words = append(words, one.Model)
	}
	if one.Turns > 0 {
		words = append(words, cliui.Count(one.Turns, "turn"))
	}
	if one.Tokens > 0 {
		words = append(words, cliui.ShortNumber(one.Tokens)+" tokens")
	}
	line := paint.L(paint.Say(paint.Faint, strings.Join(words, "  ")))
	for _, tag := range one.Tags {
		line = append(line, paint.Say(paint.Accent, "  #"+tag))
	}
	return line
}

func (s *Sessions) viewConversation(sc pane.Screen) ([]paint.Line, pane.Position) {
	r := &s.conversation
	switch {
	case r.problem != "":
		return pane.Notice(sc, r.problem, paint.Warn), pane.Position{}
	case r.doc == nil:
		return pane.Notice(sc, "Reading the conversation"+sc.Ellipsis, paint.Faint), pane.Position{}
	}
	top := r.doc.Scrolled(r.scroll, 0, sc.H)
	return r.doc.View(top, sc.H), pane.At(top, sc.H, r.doc.Len())
}

// Where says where one is.
func (s *Sessions) Where() string {
	if s.part == conversationPart && s.conversation.known {
		return "#" + pane.Count(s.conversation.topEntry(), s.conversation.conversation.Total, false)
	}
	return pane.Count(s.at+1, len(s.all), false)
}
