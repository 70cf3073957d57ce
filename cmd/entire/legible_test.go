package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/legible"
)

// hostile is what somebody may hide in a text: a colour, a window's title, a
// character of C1, DEL, overrides and isolates of direction, what has no width, tags, and
// bytes that are no text.
const hostile = "<\x1b[38;5;213m\x1b]0;t\x07\u009b31m\x7f\u202e\u2066\u200e\u200b\u2060\ufeff\u00ad\u061c\U000e0041\u2028\r>"

// leaks is what of a program's output a terminal would obey or not show.
func leaks(out []byte) string {
	text := strings.ToValidUTF8(string(out), "\xff")
	for at, r := range text {
		if one := string(r); r != '\n' && r != '\t' && legible.Text(one) != one {
			return text[max(0, at-40):min(len(text), at+20)]
		}
	}
	return ""
}

type ranKey struct{}

// cmdShows runs a command that may fail, as some do with what is asked of them, and
// sees that what it prints is text.
func cmdShows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: shows COMMAND...")
	}
	err := ts.Exec(args[0], args[1:]...)
	out := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	if leak := leaks([]byte(out)); leak != "" {
		ts.Fatalf("%q (%v) shows %q", args, err, leak)
	}
	if out == "" {
		ts.Fatalf("%q shows nothing (%v)", args, err)
	}
	_, line, _ := strings.Cut(strings.Join(args, " "), "entire ")
	ranIn(ts)[line] = ranIn(ts)[line] || escapedIn(out)
}

// escapedIn reports whether out shows a part of hostile.
func escapedIn(out string) bool {
	return strings.Contains(out, `x1b[38;5;213m`) || strings.Contains(out, `u001b[38;5;213m`) || strings.Contains(out, `u202e`)
}

func ranIn(ts *testscript.TestScript) map[string]bool { return ts.Value(ranKey{}).(map[string]bool) }

// cmdShown fails for a command of the program that no line of the script ran with
// hostile text in what it showed. Arguments are the commands that show no text of others.
func cmdShown(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: shown [COMMAND...]")
	}
	var missed []string
	for path := range commandPaths(rootCommand((&cliui.Env{})), "") {
		tried, escaped := false, false
		for line, did := range ranIn(ts) {
			if line == path || strings.HasPrefix(line, path+" ") {
				tried, escaped = true, escaped || did
			}
		}
		if !tried || !escaped && !slices.Contains(args, path) {
			missed = append(missed, fmt.Sprintf("entire %s: tried %v, with text of others %v", path, tried, escaped))
		}
	}
	if missed != nil {
		ts.Fatalf("%s", strings.Join(missed, "\n"))
	}
}

// commandPaths are the commands that can be run, as they are typed.
func commandPaths(cmd *cobra.Command, before string) map[string]bool {
	found := map[string]bool{}
	for _, sub := range cmd.Commands() {
		if sub.Hidden {
			continue
		}
		path := strings.TrimSpace(before + " " + sub.Name())
		if !sub.HasAvailableSubCommands() {
			found[path] = true
		}
		maps.Copy(found, commandPaths(sub, path))
	}
	return found
}

func TestLeaks(t *testing.T) {
	t.Parallel()
	for _, r := range hostile {
		if one := string(r); r > '~' || r < ' ' {
			if leaks([]byte("text"+one)) == "" {
				t.Errorf("%q is not seen", one)
			}
		}
	}
	if leak := leaks([]byte("text\n\t日本")); leak != "" {
		t.Errorf("text leaks %q", leak)
	}
	var out bytes.Buffer
	w := legible.NewWriter(&out, "")
	w.Write([]byte(hostile))
	w.Flush()
	if leak := leaks(out.Bytes()); leak != "" {
		t.Errorf("the writer leaks %q", leak)
	}
}
