package term

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// The screen is the title, the list, a line, the preview, and the keys.
const pickerFrame = 3

// listHeight is how many lines the list has: half of the screen at most where
// there is a preview.
func (m *picker) listHeight() int {
	room := max(m.height-pickerFrame, 2)
	if m.preview == nil {
		return room
	}
	return max(1, min(len(m.rows), room/2))
}

func (m *picker) previewHeight() int { return max(1, m.height-pickerFrame-m.listHeight()) }

// follow keeps the cursor, and the headings over it, on the screen.
func (m *picker) follow() {
	height := m.listHeight()
	first := m.at
	for first > 0 && m.at-first < height-1 && m.rows[m.shown[first-1]].Heading > 0 {
		first--
	}
	m.top = min(m.top, first)
	m.top = max(m.top, m.at-height+1)
}

func (m *picker) View() tea.View {
	lines := []string{m.t.Styled(Strong, Cut(m.title, m.width))}
	lines = append(lines, m.list()...)
	if m.preview != nil {
		lines = append(lines, m.t.Styled(Faint, strings.Repeat("─", max(m.width, 0))))
		lines = append(lines, m.previewLines()...)
	}
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:m.height-1], m.keys())
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	return v
}

func (m *picker) list() []string {
	var lines []string
	for i := m.top; i < len(m.shown) && len(lines) < m.listHeight(); i++ {
		lines = append(lines, m.line(i))
	}
	if len(m.shown) == 0 {
		lines = append(lines, "  nothing has this in it")
	}
	for len(lines) < m.listHeight() {
		lines = append(lines, "")
	}
	return lines
}

// line is a row as wide as the screen at most, the note flush right.
func (m *picker) line(i int) string {
	r := m.rows[m.shown[i]]
	mark := "  "
	switch {
	case r.Heading == 1:
		mark = ""
	case r.Heading == 0:
		mark = "    "
		if i == m.at {
			mark = "  > "
		}
	}
	note := r.Note
	room := m.width - lipgloss.Width(note) - len(gap)
	if note == "" || room < m.width/2 {
		note, room = "", m.width
	}
	text := Cut(mark+r.Text, room)
	fill := ""
	if note != "" {
		fill = strings.Repeat(" ", max(room-lipgloss.Width(text), 0)) + gap
	}
	switch {
	case i == m.at:
		return m.t.Styled(Strong, text+fill+note)
	case r.Heading == 1:
		text = m.t.Styled(Strong, text)
	}
	return text + fill + m.t.Styled(Faint, note)
}

func (m *picker) previewLines() []string {
	cells, known := m.previews[m.row()]
	switch {
	case m.row() < 0:
		return nil
	case !known:
		return []string{m.t.Styled(Faint, "…")}
	}
	var lines []string
	for _, c := range cells[min(m.scrolled, len(cells)):] {
		if len(lines) == m.previewHeight() {
			break
		}
		c.Text = Cut(c.Text, m.width)
		lines = append(lines, c.styled())
	}
	return lines
}

func (m *picker) keys() string {
	if m.filtering {
		return Cut("/"+m.filter+"█  (esc: all of them)", m.width)
	}
	keys := "↑↓ move  enter choose  / search  esc leave"
	if more := len(m.previews[m.row()]) - m.previewHeight(); more > 0 {
		keys = fmt.Sprintf("↑↓ move  enter choose  / search  space, b scroll (%d%%)  esc leave", 100*m.scrolled/more)
	}
	return m.t.Styled(Faint, Cut(keys, m.width))
}

func (t Terminal) plainPick(ctx context.Context, title string, rows []Row, choices []int) (int, error) {
	fmt.Fprintln(t.Out, title)
	n := 0
	for _, r := range rows {
		text := r.Text
		if r.Note != "" {
			text += "  " + r.Note
		}
		switch r.Heading {
		case 0:
			n++
			fmt.Fprintf(t.Out, "%d. %s\n", n, text)
		default:
			fmt.Fprintln(t.Out, text)
		}
	}
	for {
		answer, err := t.line(ctx, fmt.Sprintf("Enter a number between 1 and %d: ", len(choices)))
		if err != nil {
			return 0, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(choices) {
			return choices[n-1], nil
		}
	}
}
