package tui

import (
	"context"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/tui/back"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
)

// A question asks for a line of text in the last line of the screen.
type question struct {
	pane.Ask
	input textinput.Model
}

func newQuestion(ask pane.Ask) *question {
	q := &question{Ask: ask, input: pane.NewInput()}
	q.input.SetValue(ask.Value)
	q.input.CursorEnd()
	return q
}

func (q *question) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "esc":
		return nil, true
	case "enter":
		return q.Done(strings.TrimSpace(q.input.Value())), true
	}
	q.input, _ = q.input.Update(k)
	return nil, false
}

func (q *question) paste(text string) { q.input, _ = q.input.Update(tea.PasteMsg{Content: text}) }

func (q *question) line() paint.Line {
	return append(paint.L(paint.Gap(1), paint.Span{Text: q.Title + " ", Role: paint.Title}), pane.InputLine(q.input)...)
}

// askLabel asks for a label, and saves the files under it.
func (a *App) askLabel() tea.Cmd {
	return func() tea.Msg {
		return pane.Ask{Title: "Save the files as they are, under the label:", Done: func(label string) tea.Cmd {
			return a.ask.Beside("do", func(ctx context.Context) tea.Msg {
				p, err := a.src.SaveLabel(ctx, label)
				if err != nil {
					return pane.Tell{Text: facts.Words(err), Role: paint.Bad}
				}
				return pane.Tell{Text: "saved as " + cliui.ShortID(p.ID) + ": " + label, Role: paint.Good}
			})
		}}
	}
}

// help shows the keys.
type help struct {
	title            string
	keys, everywhere []pane.Binding
	top              int
}

func (h *help) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "down", "j", "pgdown", "space":
		h.top++
		return nil, false
	case "up", "k", "pgup":
		h.top = max(h.top-1, 0)
		return nil, false
	}
	return nil, true
}

func (h *help) paste(string) {}

func (h *help) view(s pane.Screen, _ []paint.Line) []paint.Line {
	lines := []paint.Line{nil, paint.L(paint.Span{Text: h.title, Role: paint.Title})}
	lines = append(lines, keyTable(s, h.keys)...)
	if len(h.everywhere) > 0 {
		lines = append(lines, nil, paint.L(paint.Span{Text: "Everywhere", Role: paint.Title}))
		lines = append(lines, keyTable(s, h.everywhere)...)
	}
	h.top = min(h.top, max(len(lines)-s.H, 0))
	return lines[h.top:]
}

// keyTable returns keys and what they do, a line each.
func keyTable(s pane.Screen, keys []pane.Binding) []paint.Line {
	const column = 16
	var out []paint.Line
	for _, b := range keys {
		for i, l := range paint.L(paint.Span{Text: b.Does}).Wrap(s.Theme, max(s.W-column-3, 10)) {
			text := ""
			if i == 0 {
				text = b.Keys
			}
			out = append(out, append(paint.L(paint.Gap(1), paint.Span{Text: s.Pad(text, column), Role: paint.Key}, paint.Gap(1)), l...))
		}
	}
	return out
}

// A sheetLayer is the sheet of a rewind over the panel.
type sheetLayer struct {
	*back.Sheet
	app *App
}

func (l *sheetLayer) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "?":
		l.app.over = append(l.app.over, &help{title: "Going back", keys: l.Help()})
		return nil, false
	case "y":
		c := l.Command()
		if c == "" {
			return nil, false
		}
		return func() tea.Msg { return pane.Copy{Text: c} }, false
	}
	return l.Key(k)
}

func (l *sheetLayer) paste(string) {}

func (l *sheetLayer) view(s pane.Screen, _ []paint.Line) []paint.Line { return l.View(s) }
