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

// listHeight returns the number of lines of the list: at most half of the screen if there
// is a preview.
func (m *picker) listHeight() int {
	room := max(m.height-pickerFrame, 2)
	if m.preview == nil {
		return room
	}
	return max(1, min(len(m.rows), room/2))
}

func (m *picker) previewHeight() int { return max(1, m.height-pickerFrame-m.listHeight()) }

// follow scrolls so that the cursor, and the headings above it, are visible.
func (m *picker) follow() {
	height := m.listHeight()
	first := m.at
	for first > 0 && m.at-first < height-1 && m.rows[m.shown[first-1]].Heading > 0 {
		first--
	}
	m.top = min(m.top, first)
	m.top = max(m.top, m.at-height+1)
}

// View is empty: the picker draws itself, see [screenOf].
func (m *picker) View() tea.View { return tea.View{} }

// frame returns the whole screen, one string for each line.
func (m *picker) frame() []string {
	if m.helping {
		return m.help()
	}
	lines := []string{m.t.Styled(Strong, Cut(m.title, m.width))}
	lines = append(lines, m.list()...)
	if m.preview != nil {
		lines = append(lines, m.t.Styled(Faint, strings.Repeat("─", max(m.width, 0))))
		lines = append(lines, m.previewLines()...)
	}
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	return append(lines[:max(m.height-1, 0)], m.keys())
}

func (m *picker) help() []string {
	lines := []string{m.t.Styled(Strong, "Keys"), ""}
	for _, key := range [][2]string{
		{"↑ ↓, k j", "move by one"}, {"PgUp PgDn", "move by a page"}, {"Home End, g G", "move to the first, the last"},
		{"enter", "choose"}, {"/", "show only what contains a text; esc ends it"},
		{"space, b", "scroll the preview down, up"}, {"esc, q", "leave and change nothing"},
	} {
		lines = append(lines, Cut(fmt.Sprintf("  %-15s%s", key[0], key[1]), m.width))
	}
	lines = append(lines, "", Cut("● marks the point that the files are at now.", m.width), "", m.t.Styled(Faint, Cut("any key closes this", m.width)))
	for len(lines) < m.height {
		lines = append(lines, "")
	}
	return lines[:m.height]
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

// line returns a row, at most as wide as the screen, with the note flush right.
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
		if r.Here {
			mark = "●" + mark[1:]
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
	if i == m.at || r.Heading == 1 {
		return m.matches(text, Strong) + fill + m.matches(note, Strong)
	}
	return m.matches(text, plainStyle) + fill + m.matches(note, Faint)
}

// matches returns text in a style, with the parts that match the filter in the style of a
// match.
func (m *picker) matches(text string, style Style) string {
	folded, filter := strings.ToLower(text), strings.ToLower(m.filter)
	if filter == "" || len(folded) != len(text) { // otherwise the offsets in both texts differ
		return m.t.Styled(style, text)
	}
	var b strings.Builder
	for {
		i := strings.Index(folded, filter)
		if i < 0 {
			return b.String() + m.t.Styled(style, text)
		}
		b.WriteString(m.t.Styled(style, text[:i]) + m.t.Styled(Match, text[i:i+len(filter)]))
		text, folded = text[i+len(filter):], folded[i+len(filter):]
	}
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
	keys := "↑↓ move  enter choose  / search  ? keys  esc leave"
	if more := len(m.previews[m.row()]) - m.previewHeight(); more > 0 {
		keys = fmt.Sprintf("↑↓ move  enter choose  / search  space, b scroll (%d%%)  ? keys  esc leave", 100*m.scrolled/more)
	}
	return m.t.Styled(Faint, Cut(keys, m.width))
}

func (t Terminal) plainPick(ctx context.Context, title string, rows []Row, choices []int) (int, error) {
	fmt.Fprintln(t.Out, title)
	n := 0
	for _, r := range rows {
		text := r.Text
		if r.Here {
			text += "  (you are here)"
		}
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
