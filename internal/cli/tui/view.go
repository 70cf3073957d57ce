package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
)

const (
	margin    = 1 // columns left and right of the panel
	headLines = 1
)

// footLines returns the number of lines below the panel.
func (a *App) footLines() int {
	if a.h < 10 {
		return 1
	}
	return 2
}

func (a *App) bodyHeight() int { return max(a.h-headLines-a.footLines(), 1) }

// View returns the screen.
func (a *App) View() tea.View {
	v := tea.NewView(a.Frame())
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "entire " + a.src.Place().Name
	return v
}

// Frame returns the whole screen as one string.
func (a *App) Frame() string {
	if a.w < 1 || a.h < 1 {
		return ""
	}
	s := pane.Screen{Theme: a.theme, W: a.w, H: a.bodyHeight(), Now: a.src.Now(), Zone: a.zone, Top: a.src.Place().Top, Focus: len(a.over) == 0}
	lines := []paint.Line{a.headLine(s)}
	lines = append(lines, a.body(s)...)
	lines = append(lines, a.statusLine(s).Over(a.theme, paint.OnBar, a.w))
	if a.footLines() > 1 {
		lines = append(lines, a.commandLine(s))
	}
	return a.theme.Paint(lines, a.w, a.h)
}

// body returns the panel, or what lies over it.
func (a *App) body(s pane.Screen) []paint.Line {
	inner := s
	inner.W -= 2 * margin
	lines := paint.Block(a.pane().View(inner), s.H)
	for _, l := range a.over {
		if sheet, ok := l.(interface {
			view(pane.Screen, []paint.Line) []paint.Line
		}); ok {
			lines = paint.Block(sheet.view(inner, lines), s.H)
		}
	}
	out := make([]paint.Line, len(lines))
	for i, l := range lines {
		out[i] = append(paint.L(paint.Gap(margin)), l...)
	}
	return out
}

// headLine names the repository and the panels.
func (a *App) headLine(s pane.Screen) paint.Line {
	place := a.src.Place()
	tabs, _ := a.tabLine()
	left := paint.L(paint.Gap(1), paint.Span{Text: "entire", Role: paint.Title}, paint.Gap(2), paint.Say(paint.Strong, place.Name),
		paint.Gap(1), paint.Say(paint.Faint, place.Branch))
	if room := s.W - tabs.Width(a.theme) - 2; room < left.Width(a.theme) {
		left = paint.L(paint.Gap(1), paint.Say(paint.Strong, place.Name))
		if room < left.Width(a.theme) {
			left = nil
		}
	}
	return paint.Row(a.theme, s.W, left, tabs).On(paint.OnBar)
}

// tabLine returns the names of the panels, and at which column each begins. On a narrow screen only
// the one in view has its name.
func (a *App) tabLine() (line paint.Line, starts []int) {
	for i, t := range a.tabs {
		starts = append(starts, line.Width(a.theme))
		role, number := paint.Faint, paint.Faint
		if i == a.at {
			role, number = paint.Title, paint.Title
		}
		line = append(line, paint.Span{Text: fmt.Sprintf(" %d", i+1), Role: number})
		if a.w >= 60 || i == a.at {
			line = append(line, paint.Span{Text: " " + t.name, Role: role})
		}
		line = append(line, paint.Gap(1))
	}
	return line, starts
}

// tabAt returns the panel whose name is in a column of the first line, -1 for none.
func (a *App) tabAt(x int) int {
	line, starts := a.tabLine()
	x -= a.w - line.Width(a.theme)
	at := -1
	for i, start := range starts {
		if x >= start {
			at = i
		}
	}
	return at
}

// statusLine says what happened last, or else where undo and redo lead.
func (a *App) statusLine(s pane.Screen) paint.Line {
	right := a.rightStatus(s)
	if a.told.Text != "" {
		return paint.Row(a.theme, s.W, paint.L(paint.Gap(1), paint.Say(a.told.Role, a.told.Text)), right)
	}
	line := paint.L(paint.Gap(1))
	line = append(line, backWords("u", "undo", a.back.Undo)...)
	if s.W >= 60 && a.alarm == "" || s.W >= 120 {
		line = append(line, paint.Gap(3))
		line = append(line, backWords("U", "redo", a.back.Redo)...)
	}
	return paint.Row(a.theme, s.W, line, right)
}

func backWords(key, verb, target string) paint.Line {
	if target == "" {
		return paint.L(paint.Span{Text: key + " nothing to " + verb, Role: paint.Faint})
	}
	return paint.L(paint.Span{Text: key, Role: paint.Key}, paint.Say(paint.Plain, " "+verb+": "+target))
}

// rightStatus has the alarm, and says where in the panel's list one is.
func (a *App) rightStatus(s pane.Screen) paint.Line {
	var line paint.Line
	if a.alarm != "" && a.told.Text == "" {
		line = paint.L(paint.Say(paint.Bad, s.Lost+" "+s.Cut(s.Inside(a.alarm), max(s.W*2/5, 12))), paint.Gap(2))
	}
	where := ""
	if w, ok := a.pane().(interface{ Where() string }); ok {
		where = w.Where()
	}
	if where == "" {
		return line
	}
	return append(line, paint.Span{Text: where, Role: paint.Faint}, paint.Gap(1))
}

// command returns the command that does the same as what is in view.
func (a *App) command() string {
	for i := len(a.over) - 1; i >= 0; i-- {
		if sheet, ok := a.over[i].(*sheetLayer); ok {
			return sheet.Command()
		}
	}
	return a.pane().Command()
}

// commandLine shows the command that does the same, or what is being typed.
func (a *App) commandLine(s pane.Screen) paint.Line {
	if n := len(a.over); n > 0 {
		if q, ok := a.over[n-1].(interface {
			line() paint.Line
		}); ok {
			return q.line()
		}
	}
	keys := paint.L(paint.Span{Text: "?", Role: paint.Key}, paint.Span{Text: " keys  ", Role: paint.Faint},
		paint.Span{Text: ":", Role: paint.Key}, paint.Span{Text: " commands ", Role: paint.Faint})
	if a.pane().Typing() {
		keys = paint.L(paint.Span{Text: "esc", Role: paint.Key}, paint.Span{Text: " back ", Role: paint.Faint})
	}
	c := a.command()
	if c == "" {
		return paint.Row(a.theme, s.W, nil, keys)
	}
	left := paint.L(paint.Gap(1), paint.Span{Text: "$ ", Role: paint.Faint}, paint.Say(paint.Plain, c))
	if s.W >= 80 && !a.pane().Typing() {
		left = append(left, paint.Gap(2), paint.Span{Text: "y", Role: paint.Key}, paint.Span{Text: " copies", Role: paint.Faint})
	}
	return paint.Row(a.theme, s.W, left, keys)
}
