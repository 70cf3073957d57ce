package usagelib

import (
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/usage"
)

// ShortKey returns a row's name for people: an ID shortened, with its title.
func ShortKey(by string, r usage.Row) string {
	name := r.Key
	if strings.HasPrefix(name, "(") {
		return name
	}
	switch by {
	case "session":
		name = cliui.ShownSession(name)
	case "commit":
		name = cliui.ShortID(name)
	case "file":
		return cliui.ShownName(name)
	}
	if r.Title != "" {
		name += " " + r.Title
	}
	return cliui.ShownLine(name)
}

// ShortTokens returns a number of tokens in few columns.
func ShortTokens(n int64) string {
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

// Cost returns what a sum costs; "-" if no price is known, with a + if one is missing.
func Cost(s usage.Sum) string {
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

// SumWords returns what a sum costs and how many tokens it has; only the latter if no price is known.
func SumWords(s usage.Sum) string {
	tokens := ShortTokens(s.Total) + " tokens"
	if c := Cost(s); c != "-" {
		return c + " for " + tokens
	}
	return tokens
}

// FateWords returns a fate in words.
func FateWords(f usage.Fate) string {
	switch f {
	case usage.Committed:
		return "In commits"
	case usage.Open:
		return "Not committed so far"
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

// Size is what the length of a row's bar shows: the cost or, where nothing has a price, the tokens.
func (r *Report) Size(s usage.Sum) float64 {
	if r.Total.Cost > 0 {
		return s.Cost
	}
	return float64(s.Total)
}

// Notes says what the sums are worth, a sentence each.
func (r *Report) Notes() []string {
	var out []string
	if r.Repeated > 0 {
		out = append(out, fmt.Sprintf("%s that several sessions have were counted once.", cliui.Count(r.Repeated, "answer")))
	}
	if len(r.Unpriced) > 0 {
		names := make([]string, len(r.Unpriced))
		for i, n := range r.Unpriced {
			names[i] = cliui.ShownLine(n)
		}
		out = append(out, fmt.Sprintf("No price is known for %s (%s tokens); the costs are without them.", cliui.Enumerated(names), ShortTokens(r.Total.Unpriced)))
	}
	if r.Total.Cost == 0 {
		return out
	}
	p := r.Prices
	note := fmt.Sprintf("Prices of %s, in US dollars", p.Date)
	if len(p.Files) > 0 {
		note += ", with those of " + cliui.ShownName(p.Files[len(p.Files)-1])
	}
	if p.Stale {
		note += "; they are old and may have changed (--prices names newer ones)"
	}
	return append(out, note+".")
}
