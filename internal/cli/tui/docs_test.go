package tui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"entire/internal/cli/tui/pane"
	"entire/internal/cli/tui/tuitest"
)

const (
	docsPath  = "../../../docs/terminal.md"
	keysBegin = "<!-- keys: go test ./internal/cli/tui -run Docs -args -golden -->\n"
	keysEnd   = "<!-- end of keys -->\n"
)

// TestKeysInDocs compares the tables of keys in docs/terminal.md with the help of each panel; -args -golden writes
// them.
func TestKeysInDocs(t *testing.T) {
	t.Parallel()
	s := tuitest.Shop(t)
	var known []pane.Binding
	var b strings.Builder
	table := func(title string, keys []pane.Binding) {
		fmt.Fprintf(&b, "\n### %s\n\n| key | what it does |\n|---|---|\n", title)
		for _, k := range keys {
			if title == "Everywhere" || !slices.Contains(known, k) {
				fmt.Fprintf(&b, "| %s | %s |\n", keysInDocs(k.Keys), k.Does)
			}
		}
		known = append(known, keys...)
	}
	for _, panel := range []struct {
		title string
		keys  []string
	}{
		{"Timeline", nil},
		{"Files", []string{"2"}},
		{"States of a file, or of all files", []string{"2", "/", "c", "a", "r", "t", "enter", "s"}},
		{"Sessions", []string{"3"}},
		{"Search", []string{"/"}},
		{"Live", []string{"5"}},
	} {
		term := open(t, s, 120, 32)
		term.press(panel.keys...)
		table(panel.title, term.app.pane().Help())
	}
	term := open(t, s, 120, 32)
	term.press("down", "enter")
	table("Going back", term.app.over[0].(*sheetLayer).Help())
	table("Everywhere", term.app.bindings())

	data, err := os.ReadFile(docsPath)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), keysBegin)
	got, after, ended := strings.Cut(rest, keysEnd)
	switch {
	case !found || !ended:
		t.Fatalf("%s has no place for the keys", docsPath)
	case *writeGolden:
		if err := os.WriteFile(docsPath, []byte(before+keysBegin+b.String()+"\n"+keysEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case got != b.String()+"\n":
		t.Errorf("%s differs; -args -golden writes\n%s", docsPath, b.String())
	}
}

// keysInDocs returns keys as a document shows them.
func keysInDocs(keys string) string {
	var out []string
	for group := range strings.SplitSeq(keys, "  ") {
		for key := range strings.FieldsSeq(group) {
			out = append(out, "`"+key+"`")
		}
	}
	if keys == "a text" {
		return keys
	}
	return strings.Join(out, " ")
}
