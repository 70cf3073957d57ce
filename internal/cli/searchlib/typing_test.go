package searchlib

import (
	"testing"

	"entire/internal/search"
)

// TestUnfinished reads what somebody means who is still typing; what is whole parses.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":              "",
		"r":             "r",
		"roun":          "(roun OR roun*)",
		"retry time":    "retry (time OR time*)",
		"retry ":        "retry ",
		`"connection r`: `"connection r"`,
		"a OR":          "a ",
		"a OR b":        "a OR b",
		"größ":          "(größ OR größ*)",
		"role:us":       "role:us",
		"cart.go":       "cart.go",
		"-docker":       "-docker",
		"pars*":         "pars*",
		"(one tw":       "(one (tw OR tw*)",
	} {
		got := unfinished(text)
		if got != want {
			t.Errorf("%q means %q, want %q", text, got, want)
		}
		if _, err := search.Parse(got); err != nil && text != "(one tw" && text != "-docker" {
			t.Errorf("%q: %v", got, err)
		}
	}
}
