package prose

import (
	"strings"

	"entire/internal/cli/tui/paint"
)

// A Coder colours code. Name is a file's name or a language's; the result has a line for each line.
type Coder func(name, text string) []paint.Line

// Lines returns a text in lines of at most width columns, but for code, which is not broken.
func Lines(t *paint.Theme, text string, width int, colour Coder) []paint.Line {
	var out []paint.Line
	before := block{}
	for i, b := range parse(strings.TrimSpace(text)) {
		if i > 0 && !(b.kind == item && before.kind == item) {
			out = append(out, nil)
		}
		out = append(out, b.show(t, max(width, 8), colour)...)
		before = b
	}
	return out
}

func (b block) show(t *paint.Theme, width int, colour Coder) []paint.Line {
	switch b.kind {
	case heading:
		role := paint.Title
		if b.level > 2 {
			role = paint.Strong
		}
		return inline(b.text(), role).Wrap(t, width)
	case item:
		return b.showItem(t, width)
	case quote:
		return indented(inline(b.text(), paint.Faint).Wrap(t, width-2), paint.L(paint.Span{Text: t.Quote + " ", Role: paint.Faint}), nil)
	case code:
		return indented(b.coloured(colour), paint.L(paint.Gap(2)), nil)
	case table:
		return b.showTable(t, width)
	case rule:
		return []paint.Line{{{Text: strings.Repeat(t.Rule, min(width, 24)), Role: paint.Faint}}}
	}
	return inline(b.text(), paint.Plain).Wrap(t, width)
}

func (b block) text() string { return strings.Join(b.lines, " ") }

func (b block) coloured(colour Coder) []paint.Line {
	text := strings.Join(b.lines, "\n")
	if colour != nil && b.lang != "" {
		if lines := colour(b.lang, text); len(lines) == len(b.lines) {
			return lines
		}
	}
	out := make([]paint.Line, len(b.lines))
	for i, line := range b.lines {
		out[i] = paint.L(paint.Say(paint.Code, line))
	}
	return out
}

func (b block) showItem(t *paint.Theme, width int) []paint.Line {
	mark := b.mark
	text := b.text()
	switch {
	case strings.HasPrefix(text, "[ ] "):
		mark, text = "[ ]", text[4:]
	case strings.HasPrefix(text, "[x] "), strings.HasPrefix(text, "[X] "):
		mark, text = "[x]", text[4:]
	case len(mark) == 1:
		mark = t.Bullet
	}
	at := min(b.level, 6) * 2
	hang := at + t.Width(mark) + 1
	first := paint.L(paint.Gap(at), paint.Span{Text: mark + " ", Role: paint.Faint})
	return indented(inline(text, paint.Plain).Wrap(t, max(width-hang, 8)), first, paint.L(paint.Gap(hang)))
}

// indented puts first before the first line and rest before the others; nil stands for first.
func indented(lines []paint.Line, first, rest paint.Line) []paint.Line {
	if rest == nil {
		rest = first
	}
	out := make([]paint.Line, len(lines))
	for i, line := range lines {
		before := rest
		if i == 0 {
			before = first
		}
		out[i] = append(before[:len(before):len(before)], line...)
	}
	return out
}

// showTable shows a table in columns as wide as their widest cell; where that is too wide, the widest
// column is cut.
func (b block) showTable(t *paint.Theme, width int) []paint.Line {
	var rows [][]paint.Line
	var widths []int
	for i, row := range b.lines {
		if i == 1 {
			continue // the line of dashes
		}
		var line []paint.Line
		for k, cell := range cells(row) {
			role := paint.Plain
			if i == 0 {
				role = paint.Strong
			}
			spans := inline(cell, role)
			if k == len(widths) {
				widths = append(widths, 0)
			}
			widths[k] = max(widths[k], spans.Width(t))
			line = append(line, spans)
		}
		rows = append(rows, line)
	}
	narrow(widths, width)
	out := make([]paint.Line, 0, len(rows))
	for _, row := range rows {
		var line paint.Line
		for k, cell := range row {
			if k > 0 {
				line = append(line, paint.Gap(2))
			}
			line = append(line, cell.Fit(t, widths[k])...)
		}
		out = append(out, line)
	}
	return out
}

// narrow makes the widest column narrower until all fit.
func narrow(widths []int, width int) {
	for {
		total, widest := 0, 0
		for k, w := range widths {
			total += w + 2
			if w > widths[widest] {
				widest = k
			}
		}
		if total-2 <= width || len(widths) == 0 || widths[widest] <= 4 {
			return
		}
		widths[widest]--
	}
}
