package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"entire/internal/cli/clitest"
	"entire/internal/cli/cliui"
	"entire/internal/term"
)

// The help breaks no word and no line is longer than the terminal, however narrow it
// is; at 80 columns every command has a line of its own.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	root := rootCommand((&cliui.Env{}))
	whole := strings.Fields(cliui.HelpText(root, term.Terminal{}, 0))
	for _, width := range []int{40, 80, 120} {
		text := cliui.HelpText(root, term.Terminal{}, width)
		if got := strings.Fields(text); !slices.Equal(got, whole) {
			t.Errorf("at %d columns other words stand there", width)
		}
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > width {
				t.Errorf("at %d columns: %q", width, line)
			}
		}
		for _, group := range cliui.HelpGroups {
			for _, name := range group.Names {
				cmd, _, err := root.Find([]string{name})
				if err != nil || cmd == root {
					t.Fatalf("no command is called %s", name)
				}
				one := strings.Contains(text, "\n  "+name+strings.Repeat(" ", cliui.NameWidth-len(name))+cmd.Short+"\n")
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
		for line := range strings.Lines(cmd.Example) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%s: an example that does not fit cannot be copied: %q", path, line)
			}
		}
		for _, group := range cliui.ShownFlags(cmd.LocalFlags()) {
			for _, f := range group.Flags {
				if value, _ := pflag.UnquoteUsage(f); value != strings.ToUpper(value) {
					t.Errorf("%s --%s: the value is called %q", path, f.Name, value)
				}
			}
		}
		for line := range strings.Lines(cliui.HelpText(cmd, term.Terminal{}, 40)) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 40 && len(strings.Fields(line)) > 1 {
				t.Errorf("%s at 40 columns: %q", path, line)
			}
		}
	}
}

// Every command that is shown has its place in the help.
func TestHelpNamesEveryCommand(t *testing.T) {
	t.Parallel()
	listed := append([]string{"help", "version", "completion"}, cliui.Also...) // named below the groups
	_, below, _ := strings.Cut(cliui.HelpText(rootCommand((&cliui.Env{})), term.Terminal{}, 1000), "There are also")
	for _, name := range listed[1:] {
		if !strings.Contains(below, "`"+name+"`") && !strings.Contains(below, "`entire "+name+"`") {
			t.Errorf("%s is not named below the groups", name)
		}
	}
	for _, group := range cliui.HelpGroups {
		listed = append(listed, group.Names...)
	}
	for _, cmd := range rootCommand((&cliui.Env{})).Commands() {
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
		"expl":            "unknown command \"expl\" for \"entire\"; did you mean `entire show`?",
		"frobnicate":      "unknown command \"frobnicate\" for \"entire\"; `entire --help` lists them",
		"diff":            "unknown command \"diff\" for \"entire\"; did you mean `entire show`?",
		"sessions lst":    "unknown command \"lst\" for \"entire sessions\"; did you mean `entire sessions list`?",
		"help sessions x": "unknown command \"x\" for \"entire sessions\"; `entire sessions --help` lists them",
		"status --jsn":    "unknown flag: --jsn for \"entire status\"; did you mean `--json`?",
		"status -q":       "unknown shorthand flag: 'q' in -q for \"entire status\"; `entire status --help` lists them",
		"rewind --diif":   "unknown flag: --diif for \"entire rewind\"; did you mean `--diff`?",
	} {
		env, out, complaint := clitest.NewWorld(t.TempDir())
		if err := execute(t.Context(), env, strings.Fields(args)); !errors.Is(err, cliui.ErrTold) {
			t.Errorf("entire %s: %v", args, err)
		}
		if got := complaint.String(); got != "Error: Invalid usage: "+want+"\n" || out.Len() > 0 {
			t.Errorf("entire %s:\n%s%swant %s", args, got, out, want)
		}
	}
}
