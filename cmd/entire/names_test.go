package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"entire/internal/cli/clitest"
	"entire/internal/cli/cliui"
)

// TestEveryFormerNameWorks: each command and flag that ever had a name still has it. A line of the file is
// a command with its flags and their types.
func TestEveryFormerNameWorks(t *testing.T) {
	t.Parallel()
	file, err := os.Open(filepath.Join("..", "..", "testdata", "former_names.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		name, flags, _ := strings.Cut(lines.Text(), ":")
		path := strings.Fields(name)
		env, out, complaint := clitest.NewWorld(t.TempDir())
		root := rootCommand(env)
		cmd, rest, err := root.Find(path)
		if err != nil || len(rest) > 0 || cmd == root {
			t.Errorf("entire %s: no such command: %v", name, err)
			continue
		}
		for _, flag := range strings.Fields(flags) {
			checkFormerFlag(t, cmd, flag)
		}
		if err := execute(t.Context(), env, append(path, "--help")); err != nil || !strings.Contains(out.String(), "entire "+name) {
			t.Errorf("entire %s --help: %v\n%s%s", name, err, out, complaint)
		}
	}
	if n < 70 {
		t.Errorf("only %d names", n)
	}
}

// checkFormerFlag checks "--json=bool", "--limit,-n=int" or "also:alias".
func checkFormerFlag(t *testing.T, cmd *cobra.Command, want string) {
	t.Helper()
	if alias, ok := strings.CutPrefix(want, "also:"); ok {
		if !cmd.HasAlias(alias) {
			t.Errorf("%s is no longer called %s", cmd.CommandPath(), alias)
		}
		return
	}
	names, kind, _ := strings.Cut(want, "=")
	long, short, _ := strings.Cut(names, ",")
	f := cmd.Flags().Lookup(strings.TrimPrefix(long, "--"))
	if f == nil || f.Value.Type() != kind || short != "" && "-"+f.Shorthand != short {
		t.Errorf("%s has no flag %s", cmd.CommandPath(), want)
	}
}

// TestSurface: what help and completion show at the top can be held in mind.
func TestSurface(t *testing.T) {
	t.Parallel()
	daily := 0
	for _, group := range cliui.HelpGroups {
		if group.Title != "Set up" {
			daily += len(group.Names)
		}
	}
	if daily > 17 {
		t.Errorf("%d commands beside those that set up", daily)
	}
	for _, cmd := range formerCommands(&cliui.Env{}) {
		if shown, _, err := rootCommand(&cliui.Env{}).Find([]string{cmd.Name()}); err != nil || !shown.Hidden {
			t.Errorf("%s is not hidden: %v", cmd.Name(), err)
		}
	}
}
