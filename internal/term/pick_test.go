package term

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// pickRows are two headings, of which the first has an inner one.
var pickRows = []Row{
	{Text: "Session one", Heading: 1}, {Text: "Turn 2", Heading: 2}, {Text: "newest", Note: "2 files"}, {Text: "middle"},
	{Text: "Session two", Heading: 1}, {Text: "oldest"},
}

func press(m *picker, keys ...string) {
	codes := map[string]rune{"enter": tea.KeyEnter, "up": tea.KeyUp, "down": tea.KeyDown, "esc": tea.KeyEscape, "space": tea.KeySpace, "backspace": tea.KeyBackspace}
	for _, key := range keys {
		msg := tea.KeyPressMsg{Code: codes[key]}
		if msg.Code == 0 {
			msg = tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
		}
		m.Update(msg)
	}
}

func testPicker(t *testing.T) *picker {
	m := newPicker(t.Context(), Terminal{}, "Which?", pickRows, func(_ context.Context, row int) []Cell {
		return []Cell{{Text: "about " + pickRows[row].Text}}
	})
	m.Update(tea.WindowSizeMsg{Width: 40, Height: 14})
	return m
}

func TestPickerKeys(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		keys   []string
		chosen int
	}{
		{"the first choice, not the heading", []string{"enter"}, 2},
		{"down jumps over headings", []string{"down", "down", "enter"}, 5},
		{"up stops at the first", []string{"down", "up", "up", "up", "enter"}, 2},
		{"down stops at the last", []string{"G", "down", "enter"}, 5},
		{"search", []string{"/", "o", "l", "d", "enter"}, 5},
		{"search by heading", []string{"/", "t", "w", "o", "enter"}, 5},
		{"a corrected search", []string{"/", "x", "backspace", "m", "i", "d", "enter"}, 3},
		{"a search for nothing", []string{"/", "x", "x", "enter"}, -1},
		{"a search that is left", []string{"/", "o", "l", "d", "esc", "enter"}, 2},
		{"left", []string{"esc"}, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := testPicker(t)
			press(m, test.keys...)
			if m.chosen != test.chosen {
				t.Errorf("chose %d, want %d", m.chosen, test.chosen)
			}
		})
	}
}

func TestPickerScreen(t *testing.T) {
	t.Parallel()
	m := testPicker(t)
	cmd := m.look(m.row())
	m.Update(cmd())
	want := "Which?\nSession one\n  Turn 2\n  > newest                       2 files\n    middle\nSession two\n"
	if got := strings.Join(m.frame(), "\n"); !strings.HasPrefix(got, want) || !strings.Contains(got, "\nabout newest\n") {
		t.Errorf("the screen is\n%s", got)
	}
	for _, size := range []tea.WindowSizeMsg{{Width: 1, Height: 1}, {Width: 5, Height: 4}, {Width: 200, Height: 3}, {}} {
		m.Update(size)
		for _, key := range []string{"down", "space", "b", "/", "z", "esc", "up"} {
			press(m, key)
			if lines := strings.Count(strings.Join(m.frame(), "\n"), "\n") + 1; lines > max(m.height, 1) {
				t.Errorf("%d lines on a screen of %d", lines, m.height)
			}
		}
	}
}

func TestPlainPick(t *testing.T) {
	t.Parallel()
	term, out := plain("0\nx\n3\n")
	got, err := term.Pick(t.Context(), "Which?", pickRows, nil)
	if got != 5 || err != nil {
		t.Errorf("Pick = %d, %v", got, err)
	}
	if !strings.Contains(out.String(), "Session one\nTurn 2\n1. newest  2 files\n2. middle\nSession two\n3. oldest\n") {
		t.Errorf("printed %q", out)
	}
	if _, err := (Terminal{}).Pick(t.Context(), "Which?", pickRows, nil); !errors.Is(err, ErrNotInteractive) {
		t.Errorf("without a terminal: %v", err)
	}
	if _, err := term.Pick(t.Context(), "Which?", pickRows[:2], nil); err == nil {
		t.Error("headings alone can be picked from")
	}
}

func TestPickerPages(t *testing.T) {
	t.Parallel()
	rows := make([]Row, 50)
	for i := range rows {
		rows[i] = Row{Text: fmt.Sprint("row ", i), Here: i == 20}
	}
	m := newPicker(t.Context(), Terminal{Color: true}, "Which?", rows, nil)
	m.Update(tea.WindowSizeMsg{Width: 40, Height: 13}) // ten rows
	if m.row() != 20 || !strings.Contains(strings.Join(m.frame(), "\n"), "● > row 20") {
		t.Fatalf("the cursor does not begin at the present:\n%s", strings.Join(m.frame(), "\n"))
	}
	for _, test := range []struct {
		key  rune
		want int
	}{{tea.KeyPgDown, 29}, {tea.KeyPgUp, 20}, {tea.KeyEnd, 49}, {tea.KeyPgDown, 49}, {tea.KeyHome, 0}, {tea.KeyPgUp, 0}} {
		m.Update(tea.KeyPressMsg{Code: test.key})
		if m.row() != test.want {
			t.Errorf("after %v the cursor is at %d, want %d", tea.KeyPressMsg{Code: test.key}, m.row(), test.want)
		}
	}
	press(m, "/", "W", " ", "4")
	frame := strings.Join(m.frame(), "\n")
	if match := m.t.Styled(Match, "w 4"); strings.Count(frame, match) != 10 { // row 4, row 40 to 48 on this page
		t.Errorf("not highlighted:\n%q", frame)
	}
	press(m, "esc", "?")
	if frame := strings.Join(m.frame(), "\n"); !strings.Contains(frame, "PgUp PgDn") {
		t.Errorf("? shows no keys:\n%s", frame)
	}
	press(m, "x")
	if m.helping || m.chosen >= 0 {
		t.Error("a key does not just close the help")
	}
}
