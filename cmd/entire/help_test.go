package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"entire/internal/term"
)

// The help breaks no word and no line is longer than the terminal, however narrow it
// is; at 80 columns every command has a line of its own.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	root := (&world{}).rootCommand()
	whole := strings.Fields(helpText(root, term.Terminal{}, 0))
	for _, width := range []int{40, 80, 120} {
		text := helpText(root, term.Terminal{}, width)
		if got := strings.Fields(text); !slices.Equal(got, whole) {
			t.Errorf("at %d columns other words stand there", width)
		}
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > width {
				t.Errorf("at %d columns: %q", width, line)
			}
		}
		for _, group := range helpGroups {
			for _, name := range group.names {
				cmd, _, err := root.Find([]string{name})
				if err != nil || cmd == root {
					t.Fatalf("no command is called %s", name)
				}
				one := strings.Contains(text, "\n  "+name+strings.Repeat(" ", nameWidth-len(name))+cmd.Short+"\n")
				if !one && width >= 80 {
					t.Errorf("at %d columns %s has no line of its own", width, name)
				}
			}
		}
	}
	for path := range commandPaths(root, "") {
		cmd, _, err := root.Find(strings.Fields(path))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(helpText(cmd, term.Terminal{}, 40)) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 40 && len(strings.Fields(line)) > 1 {
				t.Errorf("%s at 40 columns: %q", path, line)
			}
		}
	}
}

// Every command that is shown has its place in the help.
func TestHelpNamesEveryCommand(t *testing.T) {
	t.Parallel()
	listed := []string{"help", "version"} // named below the groups
	for _, group := range helpGroups {
		listed = append(listed, group.names...)
	}
	for _, cmd := range (&world{}).rootCommand().Commands() {
		if n := len(slices.DeleteFunc(slices.Clone(listed), func(name string) bool { return name != cmd.Name() })); !cmd.Hidden && n != 1 {
			t.Errorf("%s is listed %d times", cmd.Name(), n)
		}
	}
}

// What is mistyped is one line, with what was probably meant.
func TestMistyped(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"stauts":          "unknown command \"stauts\" for \"entire\"; did you mean `entire status`?",
		"expl":            "unknown command \"expl\" for \"entire\"; did you mean `entire explain`?",
		"frobnicate":      "unknown command \"frobnicate\" for \"entire\"; `entire --help` lists them",
		"diff":            "unknown command \"diff\" for \"entire\"; did you mean `entire checkpoints diff`?",
		"sessions lst":    "unknown command \"lst\" for \"entire sessions\"; did you mean `entire sessions list`?",
		"help sessions x": "unknown command \"x\" for \"entire sessions\"; `entire sessions --help` lists them",
		"status --jsn":    "unknown flag: --jsn for \"entire status\"; did you mean `--json`?",
		"status -q":       "unknown shorthand flag: 'q' in -q for \"entire status\"; `entire status --help` lists them",
		"rewind --diif":   "unknown flag: --diif for \"entire rewind\"; did you mean `--diff`?",
	} {
		w, out, complaint := newWorld(t.TempDir())
		if err := w.execute(t.Context(), strings.Fields(args)); !errors.Is(err, errTold) {
			t.Errorf("entire %s: %v", args, err)
		}
		if got := complaint.String(); got != "Error: Invalid usage: "+want+"\n" || out.Len() > 0 {
			t.Errorf("entire %s:\n%s%swant %s", args, got, out, want)
		}
	}
}

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

func TestTakeOutput(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		o    attributionOptions
		args []string
		rest []string
		file string
	}{
		{attributionOptions{html: true}, []string{"A..B", "who.html"}, []string{"A..B"}, "who.html"},
		{attributionOptions{html: true}, []string{"who.html", "A..B"}, []string{"A..B"}, "who.html"},
		{attributionOptions{html: true}, []string{"A..B"}, []string{"A..B"}, ""},
		{attributionOptions{html: true}, []string{"page.HTML"}, []string{}, "page.HTML"},
		{attributionOptions{markdown: true}, []string{"A..B", "comment"}, []string{"A..B"}, "comment"},
		{attributionOptions{json: true, output: "x"}, []string{"A..B"}, []string{"A..B"}, "x"},
		{attributionOptions{}, []string{"a.html"}, []string{"a.html"}, ""},
	} {
		if rest := test.o.takeOutput(test.args); !slices.Equal(rest, test.rest) || test.o.output != test.file {
			t.Errorf("%v: %v and %q", test.args, rest, test.o.output)
		}
	}
}
