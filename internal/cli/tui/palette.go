package tui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
)

// A palette finds what can be done by a word of it.
type palette struct {
	app   *App
	input textinput.Model
	all   []entry
	at    int
}

// An entry is something that can be done.
type entry struct {
	keys, does string
	do         func() tea.Cmd
}

func newPalette(a *App) *palette {
	p := &palette{app: a, input: pane.NewInput()}
	pane := a.pane()
	for _, b := range pane.Help() {
		if b.Press != "" {
			p.all = append(p.all, entry{b.Keys, b.Does, func() tea.Cmd {
				cmd, _ := pane.Key(pressed(b.Press))
				return cmd
			}})
		}
	}
	for i, t := range a.tabs {
		if i != a.at {
			p.all = append(p.all, entry{string(rune('1' + i)), "show " + strings.ToLower(t.name), func() tea.Cmd { return a.show(i) }})
		}
	}
	for _, b := range a.bindings() {
		if b.Press != "" {
			p.all = append(p.all, entry{b.Keys, b.Does, func() tea.Cmd { return a.ownKey(b.Press) }})
		}
	}
	return p
}

// pressed returns the message of a key by its name.
func pressed(name string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "tab": tea.KeyTab, "space": tea.KeySpace, "left": tea.KeyLeft, "right": tea.KeyRight}
	if code := codes[name]; code != 0 {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// found returns the entries that have all typed words.
func (p *palette) found() []entry {
	var out []entry
	for _, e := range p.all {
		text, all := strings.ToLower(e.does), true
		for _, word := range strings.Fields(strings.ToLower(p.input.Value())) {
			all = all && strings.Contains(text, word)
		}
		if all {
			out = append(out, e)
		}
	}
	return out
}

func (p *palette) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	found := p.found()
	switch k.String() {
	case "esc":
		return nil, true
	case "up", "ctrl+p":
		p.at = max(p.at-1, 0)
	case "down", "ctrl+n":
		p.at = min(p.at+1, max(len(found)-1, 0))
	case "enter":
		if p.at < len(found) {
			p.app.remove(p)
			return found[p.at].do(), true
		}
	default:
		p.input, _ = p.input.Update(k)
		p.at = 0
	}
	return nil, false
}

func (p *palette) paste(text string) {
	p.input, _ = p.input.Update(tea.PasteMsg{Content: text})
}

func (p *palette) line() paint.Line {
	return append(paint.L(paint.Gap(1), paint.Span{Text: ":", Role: paint.Title}), pane.InputLine(p.input)...)
}

func (p *palette) view(s pane.Screen, under []paint.Line) []paint.Line {
	found := p.found()
	height := min(len(found), s.H-1)
	top := max(0, p.at-height+1)
	rows := []paint.Line{{{Text: strings.Repeat(s.Rule, s.W), Role: paint.Faint}}}
	for i := top; i < min(top+height, len(found)); i++ {
		row := paint.L(paint.Gap(1), paint.Say(paint.Plain, found[i].does)).Fit(s.Theme, max(s.W-18, 10))
		row = append(row, paint.Gap(1), paint.Span{Text: found[i].keys, Role: paint.Key})
		if i == p.at {
			row = row.Over(s.Theme, paint.OnCursor, s.W)
		}
		rows = append(rows, row)
	}
	if len(found) == 0 {
		rows = append(rows, paint.L(paint.Gap(1), paint.Span{Text: "nothing has these words in it", Role: paint.Faint}))
	}
	return append(paint.Block(under, max(s.H-len(rows), 0)), rows...)
}
