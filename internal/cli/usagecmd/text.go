package usagecmd

import (
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/usagelib"
	"entire/internal/term"
	"entire/internal/usage"
)

// The widths of the text.
const (
	usualWidth = 80  // without a terminal
	roomy      = 64  // from which the tokens have a column
	wide       = 110 // from which the kinds of tokens have columns
	gap        = 2   // between columns
)

// A reportText shows a report in the width of a screen, 0 if unknown.
type reportText struct {
	r     *usagelib.Report
	t     term.Terminal
	width int
	limit int
}

func (v reportText) String() string {
	if v.width <= 0 {
		v.width = usualWidth
	}
	if len(v.r.Rows) == 0 {
		return "No session has answers with tokens in this time.\n"
	}
	var b strings.Builder
	rows := v.r.Rows
	hidden := 0
	if v.limit > 0 && len(rows) > v.limit {
		if v.r.By == "day" { // the latest are of interest
			hidden, rows = len(rows)-v.limit, rows[len(rows)-v.limit:]
		} else {
			hidden, rows = len(rows)-v.limit, rows[:v.limit]
		}
	}
	b.WriteString(v.table(rows))
	if hidden > 0 {
		v.say(&b, "%s more; --limit 0 shows all.", cliui.Count(hidden, "row"))
	}
	b.WriteByte('\n')
	v.sums(&b)
	for _, note := range v.r.Notes() {
		v.say(&b, "%s", note)
	}
	return b.String()
}

// table returns the rows with their bars, which show the cost or, where nothing has a price, the tokens.
func (v reportText) table(rows []usage.Row) string {
	columns := v.columns()
	cells := make([][]string, len(rows)+1)
	for _, c := range columns {
		cells[0] = append(cells[0], c.title)
	}
	name := term.Cells(v.r.By)
	most := 0.0
	for i, row := range rows {
		for _, c := range columns {
			cells[i+1] = append(cells[i+1], c.text(row.Sum))
		}
		name = max(name, term.Cells(usagelib.ShortKey(v.r.By, row)))
		most = max(most, v.r.Size(row.Sum))
	}
	widths, used := make([]int, len(columns)), 0
	for j := range columns {
		for i := range cells {
			widths[j] = max(widths[j], term.Cells(cells[i][j]))
		}
		used += gap + widths[j]
	}
	name = min(name, max((v.width-used)*3/5, 10))
	room := max(v.width-used-name-gap, 4)
	var b strings.Builder
	for i := range cells {
		label, chart := v.r.By, strings.Repeat(" ", room)
		if i > 0 {
			label, chart = usagelib.ShortKey(v.r.By, rows[i-1]), v.bar(rows[i-1], most, room)
		}
		label = term.Cut(label, name)
		line := label + strings.Repeat(" ", name-term.Cells(label)+gap) + chart
		for j, text := range cells[i] {
			line += strings.Repeat(" ", gap+widths[j]-term.Cells(text)) + text
		}
		if i == 0 {
			line = v.t.Styled(term.Faint, line)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

type column struct {
	title string
	text  func(usage.Sum) string
}

func (v reportText) columns() []column {
	kind := func(title string, of func(usage.Tokens) int64) column {
		return column{title, func(s usage.Sum) string { return usagelib.ShortTokens(of(s.Tokens)) }}
	}
	out := []column{{"cost", usagelib.Cost}}
	if v.width >= roomy {
		out = []column{{"tokens", func(s usage.Sum) string { return usagelib.ShortTokens(s.Total) }}, out[0]}
	}
	if v.width >= wide {
		out = append([]column{
			kind("input", func(t usage.Tokens) int64 { return t.Input }), kind("read", func(t usage.Tokens) int64 { return t.CacheRead }),
			kind("write", func(t usage.Tokens) int64 { return t.CacheWrite }), kind("output", func(t usage.Tokens) int64 { return t.Output })}, out...)
	}
	return out
}

// bar returns a bar of at most room cells, padded to that; the light part was thrown away.
func (v reportText) bar(row usage.Row, most float64, room int) string {
	if most <= 0 {
		return strings.Repeat(" ", room)
	}
	all := int(v.r.Size(row.Sum)/most*float64(room) + 0.5)
	gone := int(v.r.Size(row.ThrownAway)/most*float64(room) + 0.5)
	if all == 0 && v.r.Size(row.Sum) > 0 {
		return "▏" + strings.Repeat(" ", room-1)
	}
	gone = min(gone, all)
	return strings.Repeat("█", all-gone) + strings.Repeat("░", gone) + strings.Repeat(" ", room-all)
}

// sums says what all rows add up to.
func (v reportText) sums(b *strings.Builder) {
	r, t := v.r, v.r.Total.Tokens
	kinds := fmt.Sprintf("%s input, %s read from caches, %s written to them, %s output", usagelib.ShortTokens(t.Input), usagelib.ShortTokens(t.CacheRead), usagelib.ShortTokens(t.CacheWrite), usagelib.ShortTokens(t.Output))
	if t.Reasoning > 0 {
		kinds += fmt.Sprintf(" (%s of it thoughts)", usagelib.ShortTokens(t.Reasoning))
	}
	v.say(b, "Total: %s in %s of %s: %s.", usagelib.SumWords(r.Total), cliui.Count(r.Total.Answers, "answer"), cliui.Count(r.Sessions, "session"), kinds)
	if r.Subagents.Answers > 0 {
		v.say(b, "Subagents: %s of these.", usagelib.SumWords(r.Subagents))
	}
	for _, f := range r.Fates {
		if f.Fate == usage.Committed && r.Total.Answers == f.Answers {
			continue
		}
		v.say(b, "%s: %s.", usagelib.FateWords(f.Fate), usagelib.SumWords(f.Sum))
	}
	if r.ThrownAway.Answers > 0 && r.Total.Total > 0 {
		v.say(b, "Thrown away: %s, %d%% of all.", usagelib.SumWords(r.ThrownAway), (r.ThrownAway.Total*100+r.Total.Total/2)/r.Total.Total)
	}
}

// say writes a sentence, wrapped to the width.
func (v reportText) say(b *strings.Builder, format string, args ...any) {
	column := 0
	for _, word := range strings.Fields(fmt.Sprintf(format, args...)) {
		n := term.Cells(word)
		if column > 0 && column+1+n > v.width {
			b.WriteByte('\n')
			column = 0
		}
		if column > 0 {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	b.WriteByte('\n')
}
