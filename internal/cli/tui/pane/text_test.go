package pane

import "testing"

func TestCapital(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no such point":                  "No such point",
		"f879097 is not among the steps": "f879097 is not among the steps",
		"src/a.go is a folder":           "src/a.go is a folder",
		"":                               "",
		"A point":                        "A point",
	} {
		if got := Capital(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
