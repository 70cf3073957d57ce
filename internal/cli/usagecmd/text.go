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
	v.notes(&b)
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
		most = max(most, v.size(row.Sum))
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
		return column{title, func(s usage.Sum) string { return short(of(s.Tokens)) }}
	}
	out := []column{{"cost", cost}}
	if v.width >= roomy {
		out = []column{{"tokens", func(s usage.Sum) string { return short(s.Total) }}, out[0]}
	}
	if v.width >= wide {
		out = append([]column{
			kind("input", func(t usage.Tokens) int64 { return t.Input }), kind("read", func(t usage.Tokens) int64 { return t.CacheRead }),
			kind("write", func(t usage.Tokens) int64 { return t.CacheWrite }), kind("output", func(t usage.Tokens) int64 { return t.Output })}, out...)
	}
	return out
}

// size is what the length of a bar shows.
func (v reportText) size(s usage.Sum) float64 {
	if v.r.Total.Cost > 0 {
		return s.Cost
	}
	return float64(s.Total)
}

// bar returns a bar of at most room cells, padded to that; the light part was thrown away.
func (v reportText) bar(row usage.Row, most float64, room int) string {
	if most <= 0 {
		return strings.Repeat(" ", room)
	}
	all := int(v.size(row.Sum)/most*float64(room) + 0.5)
	gone := int(v.size(row.ThrownAway)/most*float64(room) + 0.5)
	if all == 0 && v.size(row.Sum) > 0 {
		return "▏" + strings.Repeat(" ", room-1)
	}
	gone = min(gone, all)
	return strings.Repeat("█", all-gone) + strings.Repeat("░", gone) + strings.Repeat(" ", room-all)
}

// sums says what all rows add up to.
func (v reportText) sums(b *strings.Builder) {
	r, t := v.r, v.r.Total.Tokens
	kinds := fmt.Sprintf("%s input, %s read from caches, %s written to them, %s output", short(t.Input), short(t.CacheRead), short(t.CacheWrite), short(t.Output))
	if t.Reasoning > 0 {
		kinds += fmt.Sprintf(" (%s of it thoughts)", short(t.Reasoning))
	}
	v.say(b, "Total: %s for %s tokens in %s of %s: %s.", cost(r.Total), short(r.Total.Total), cliui.Count(r.Total.Answers, "answer"), cliui.Count(r.Sessions, "session"), kinds)
	if r.Subagents.Answers > 0 {
		v.say(b, "Subagents: %s for %s tokens of these.", cost(r.Subagents), short(r.Subagents.Total))
	}
	for _, f := range r.Fates {
		if f.Fate == usage.Committed && r.Total.Answers == f.Answers {
			continue
		}
		v.say(b, "%s: %s for %s tokens.", fateWords(f.Fate), cost(f.Sum), short(f.Total))
	}
	if r.ThrownAway.Answers > 0 && r.Total.Total > 0 {
		v.say(b, "Thrown away: %s for %s tokens, %d%% of all.", cost(r.ThrownAway), short(r.ThrownAway.Total), (r.ThrownAway.Total*100+r.Total.Total/2)/r.Total.Total)
	}
	if r.Repeated > 0 {
		v.say(b, "%s that several sessions have were counted once.", cliui.Count(r.Repeated, "answer"))
	}
}

func fateWords(f usage.Fate) string {
	switch f {
	case usage.Committed:
		return "In commits"
	case usage.Open:
		return "Not committed so far, in sessions that go on"
	case usage.Rewound:
		return "Rewound"
	case usage.Uncommitted:
		return "Never committed"
	case usage.Dropped:
		return "In commits that no branch has any more"
	case usage.Unrecorded:
		return "Of imported sessions, whose commits are not recorded"
	}
	return "In other projects"
}

// notes says what the prices are worth.
func (v reportText) notes(b *strings.Builder) {
	p := v.r.Prices
	if len(v.r.Unpriced) > 0 {
		names := make([]string, len(v.r.Unpriced))
		for i, n := range v.r.Unpriced {
			names[i] = cliui.ShownLine(n)
		}
		v.say(b, "No price is known for %s (%s tokens); the costs are without them.", cliui.Enumerated(names), short(v.r.Total.Unpriced))
	}
	if v.r.Total.Cost == 0 {
		return
	}
	note := fmt.Sprintf("Prices of %s, in US dollars", p.Date)
	if len(p.Files) > 0 {
		note += ", with those of " + cliui.ShownName(p.Files[len(p.Files)-1])
	}
	if p.Stale {
		note += "; they are old and may have changed (--prices names newer ones)"
	}
	v.say(b, "%s.", note)
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

// short returns a number of tokens in few columns.
func short(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 10_000_000:
		return cliui.ShortNumber(int(n))
	case n < 10_000_000_000:
		return fmt.Sprintf("%.1fM", float64(n/100_000)/10)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

// cost returns what a sum costs; "-" if no price is known, with a + if one is missing.
func cost(s usage.Sum) string {
	switch {
	case s.Unpriced > 0 && s.Unpriced == s.Total:
		return "-"
	case s.Unpriced > 0:
		return fmt.Sprintf("$%.2f+", s.Cost)
	case s.Cost > 0 && s.Cost < 0.005:
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", s.Cost)
}
