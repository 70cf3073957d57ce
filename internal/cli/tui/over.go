package tui

import (
	"context"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/panes"
)

// A question asks for a line of text in the last line of the screen.
type question struct {
	panes.Ask
	input textinput.Model
}

func newQuestion(a *App, ask panes.Ask) *question {
	q := &question{Ask: ask, input: newInput()}
	q.input.SetValue(ask.Value)
	q.input.CursorEnd()
	return q
}

// newInput returns a line that can be edited, without colours of its own.
func newInput() textinput.Model {
	in := textinput.New()
	in.Prompt = ""
	in.SetVirtualCursor(false)
	in.Focus()
	return in
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

func (q *question) line(s panes.Screen) paint.Line {
	return append(paint.L(paint.Gap(1), paint.Span{Text: q.Title + " ", Role: paint.Title}), inputLine(q.input)...)
}

// inputLine shows what is typed, with the cursor.
func inputLine(in textinput.Model) paint.Line {
	runes := []rune(in.Value())
	at := min(in.Position(), len(runes))
	under, after := " ", ""
	if at < len(runes) {
		under, after = string(runes[at]), string(runes[at+1:])
	}
	cursor := paint.Say(paint.Plain, under)
	cursor.Back = paint.OnMatch
	return paint.L(paint.Say(paint.Plain, string(runes[:at])), cursor, paint.Say(paint.Plain, after))
}

// askLabel asks for a label, and saves the files under it.
func (a *App) askLabel() tea.Cmd {
	return func() tea.Msg {
		return panes.Ask{Title: "Save the files as they are, under the label:", Done: func(label string) tea.Cmd {
			return a.ask.Beside("do", func(ctx context.Context) tea.Msg {
				p, err := a.src.SaveLabel(ctx, label)
				if err != nil {
					return panes.Tell{Text: facts.Words(err), Role: paint.Bad}
				}
				return panes.Tell{Text: "saved as " + cliui.ShortID(p.ID) + ": " + label, Role: paint.Good}
			})
		}}
	}
}

// help shows the keys.
type help struct {
	app *App
	top int
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

func (h *help) view(s panes.Screen, _ []paint.Line) []paint.Line {
	lines := []paint.Line{nil, paint.L(paint.Span{Text: h.app.tabs[h.app.at].name, Role: paint.Title})}
	lines = append(lines, keyTable(s, h.app.pane().Help())...)
	lines = append(lines, nil, paint.L(paint.Span{Text: "Everywhere", Role: paint.Title}))
	lines = append(lines, keyTable(s, h.app.bindings())...)
	h.top = min(h.top, max(len(lines)-s.H, 0))
	return lines[h.top:]
}

// keyTable returns keys and what they do, a line each.
func keyTable(s panes.Screen, keys []panes.Binding) []paint.Line {
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
