package term

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	xterm "github.com/charmbracelet/x/term"

	"entire/internal/legible"
)

// A Cell is one field of a table: text on one line, and its style, nil for none.
type Cell struct {
	Text  string
	Style func(string) string
}

// Plain returns a row of plain cells.
func Plain(texts ...string) []Cell {
	row := make([]Cell, len(texts))
	for i, text := range texts {
		row[i].Text = text
	}
	return row
}

// gap separates two columns.
const gap = "  "

// Columns formats rows in columns as wide as their widest cell. The columns in right are
// flush right. The last column gets the rest of width and is cut there; a width of 0 cuts
// nothing.
func Columns(rows [][]Cell, width int, right ...int) string {
	rows = legibleRows(rows)
	flush := map[int]bool{}
	for _, i := range right {
		flush[i] = true
	}
	widths := columnWidths(rows, flush)
	var b strings.Builder
	for _, row := range rows {
		left := width
		for i, c := range row {
			last := i == len(row)-1
			if last && width > 0 {
				c.Text = Cut(c.Text, max(left, 1))
			}
			left -= widths[i] + len(gap)
			fill := 0
			if !last || flush[i] {
				fill = widths[i] - cellsOf(c.Text)
			}
			if flush[i] {
				blank(&b, fill)
			}
			b.WriteString(c.styled())
			if !flush[i] {
				blank(&b, fill)
			}
			if !last {
				b.WriteString(gap)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// blank writes n blanks, none if n is negative.
func blank(b *strings.Builder, n int) {
	for ; n > 0; n-- {
		b.WriteByte(' ')
	}
}

// legibleRows returns the rows with their texts as they are shown, on which widths depend.
func legibleRows(rows [][]Cell) [][]Cell {
	out, cells := make([][]Cell, len(rows)), slices.Concat(rows...)
	for i := range cells {
		cells[i].Text = legible.Line(cells[i].Text)
	}
	for i, row := range rows {
		out[i], cells = cells[:len(row):len(row)], cells[len(row):]
	}
	return out
}

// columnWidths returns the widths of the columns. Nothing depends on that of the last one if its cells
// are not flush right; it is then 0.
func columnWidths(rows [][]Cell, flush map[int]bool) []int {
	count := 0
	for _, row := range rows {
		count = max(count, len(row))
	}
	widths := make([]int, count)
	for _, row := range rows {
		for i, c := range row {
			if i < count-1 || flush[i] {
				widths[i] = max(widths[i], cellsOf(c.Text))
			}
		}
	}
	return widths
}

func (c Cell) styled() string {
	if c.Style == nil {
		return c.Text
	}
	return c.Style(c.Text)
}

// cellsOf returns how many cells a text takes.
func cellsOf(text string) int {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return lipgloss.Width(text)
		}
	}
	return len(text)
}

// Cut shortens plain text to at most width cells; the last one is then an ellipsis.
func Cut(text string, width int) string {
	if cellsOf(text) <= width {
		return text
	}
	cut, used := 0, 0
	for i, r := range text {
		w := lipgloss.Width(string(r))
		if used+w > width-1 {
			break
		}
		cut, used = i+len(string(r)), used+w
	}
	return text[:cut] + "…"
}

// Width returns the number of columns of the terminal w, 0 if w is not one.
func Width(w any) int {
	file, ok := fileOf(w)
	if !ok {
		return 0
	}
	width, _, err := xterm.GetSize(file.Fd())
	if err != nil {
		return 0
	}
	return width
}
