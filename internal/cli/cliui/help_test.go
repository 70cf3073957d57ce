package cliui

import (
	"testing"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"same", "same", 0}, {"stauts", "status", 1}, {"lst", "list", 1}, {"jsson", "json", 1}, {"abc", "xyz", 3},
	} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
