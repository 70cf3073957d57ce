package usagecmd

import (
	"bytes"
	"strings"
	"testing"

	"entire/internal/cli/usagelib"
	"entire/internal/term"
	"entire/internal/usage"
)

func report(t *testing.T) *usagelib.Report {
	t.Helper()
	of := func(day, model string, fate usage.Fate, n int64) usage.Counted {
		return usage.Counted{Answer: usage.Answer{Model: model, Tokens: usage.Tokens{Input: n, CacheRead: 100 * n, CacheWrite: 2 * n, Output: 3 * n}},
			Fate: fate, Keys: []usage.Key{{Name: day, Title: strings.Repeat("a long title \x1b[31m ", 9)}}}
	}
	answers := []usage.Counted{of("2026-03-01", "m", usage.Committed, 10_000), of("2026-03-02", "m", usage.Rewound, 20_000),
		of("2026-03-02", "m", usage.Committed, 20_000), of("2026-03-03", "new", usage.Open, 1)}
	prices := usage.Prices{Date: "2026-01-01", Models: map[string]usage.Price{"m": {Input: 1, Output: 2, CacheRead: 0.5, CacheWrite: 3}}}
	r := &usagelib.Report{By: "day", Sessions: 1, Report: usage.NewReport(answers, prices, true)}
	r.Prices = usagelib.PriceNote{Date: prices.Date, Stale: true}
	return r
}

// TestWidths lays the same report out for three screens: no line is longer, and each names the cost.
func TestWidths(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 120} {
		text := reportText{report(t), term.Terminal{Out: &bytes.Buffer{}}, width, 40}.String()
		rows := strings.Split(text, "\n")
		for _, line := range rows {
			if n := term.Cells(line); n > width {
				t.Errorf("a line of %d in %d columns: %q", n, width, line)
			}
		}
		if !strings.Contains(rows[2], "█") || !strings.Contains(rows[2], "░") || !strings.HasSuffix(rows[2], "$2.52") || !strings.HasSuffix(rows[3], "-") {
			t.Errorf("the rows are\n%s", text)
		}
		if strings.Contains(text, "\x1b") {
			t.Errorf("an escape reaches the screen:\n%q", text)
		}
		if kinds := strings.Contains(rows[0], "write"); kinds != (width >= wide) {
			t.Errorf("in %d columns the head is %q", width, rows[0])
		}
	}
}

// TestCSV keeps the text of others from being a formula.
func TestCSV(t *testing.T) {
	t.Parallel()
	r := report(t)
	r.Rows = r.Rows[:1]
	r.Rows[0].Key, r.Rows[0].Title = "=HYPERLINK(1)", "a,b\n\"c\""
	var out bytes.Buffer
	if err := writeCSV(&out, r); err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(out.String(), "\n")
	if want := "'=HYPERLINK(1),\"a,b\n\"\"c\"\"\",1,10000,1000000,20000,0,30000,0,1060000,0.630000,0,0,0.000000\n"; line != want {
		t.Errorf("%q, want %q", line, want)
	}
}
