package cliui

import (
	"testing"
)

// TestWithoutPassword checks what is kept of a variable with a URL in it.
func TestWithoutPassword(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"":                                 "",
		"plain":                            "plain",
		"https://example.com:8080/a?b=c@d": "https://example.com:8080/a?b=c@d",
		"ssh://git@example.com/x":          "ssh://git@example.com/x",
		"postgres://u:hunter2@db:5432/x":   "postgres://u:REDACTED@db:5432/x",
		"redis://:p@ss@cache":              "redis://:REDACTED@cache",
		"http://a:b@one http://c:d@two/e":  "http://a:REDACTED@one http://c:REDACTED@two/e",
		"://@:":                            "://@:",
	} {
		if got := withoutPassword(value); got != want {
			t.Errorf("%q is kept as %q, want %q", value, got, want)
		}
	}
}
