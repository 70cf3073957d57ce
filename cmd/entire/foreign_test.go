package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/internal/cli/clitest"
	"entire/internal/cli/cliui"
	"entire/internal/testrepo"
)

// foreignLines returns the commands of other versions, as they are typed.
func foreignLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "foreign_commands.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) < 60 {
		t.Fatalf("only %d commands", len(lines))
	}
	return lines
}

// TestForeignCommands: each command of other versions runs here what it means there, or says what to use; the
// document has each, and names commands that there are.
func TestForeignCommands(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "coming-from.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range foreignLines(t) {
		words := strings.Fields(line)
		env, out, complaint := clitest.NewWorld(t.TempDir())
		root := rootCommand(env)
		if line == "help" { // cobra adds it when it runs
			continue
		}
		cmd, rest, err := root.Find(words)
		if err != nil || cmd == root {
			t.Errorf("entire %s: no such command: %v", line, err)
			continue
		}
		flags := slices.DeleteFunc(slices.Clone(rest), func(word string) bool { return !strings.HasPrefix(word, "-") })
		err = execute(t.Context(), env, append(slices.Clone(words), "--help"))
		if err != nil || !strings.Contains(out.String(), "entire ") {
			t.Errorf("entire %s --help: %v\n%s%s", line, err, out, complaint)
		}
		if cliui.IsForeign(cmd) {
			checkForeign(t, words)
		} else if len(rest) > len(flags) && line != "enable --agent claude-code" {
			t.Errorf("entire %s: %q are no commands", line, rest)
		}
		listed := slices.ContainsFunc(foreignCommands, func(f cliui.Foreign) bool {
			return (line == f.Name || strings.HasPrefix(line, f.Name+" ")) && strings.Contains(string(doc), "| `entire "+f.Name+"` |")
		})
		if !listed {
			t.Errorf("docs/coming-from.md has no row for entire %s", line)
		}
	}
}

// checkForeign checks that a command which ours do not have runs another, or fails with an error and a hint. A
// command that runs fails here only because this is no repository.
func checkForeign(t *testing.T, words []string) {
	t.Helper()
	env, out, complaint := clitest.NewWorld(t.TempDir())
	err := execute(t.Context(), env, words)
	if status := env.Exit(err); err != nil && (status != 1 || !strings.Contains(complaint.String(), "other versions: this") && !strings.Contains(complaint.String(), "hint: ") && !strings.Contains(complaint.String(), "Error: Invalid usage")) {
		t.Errorf("entire %s: %v\n%s%s", strings.Join(words, " "), err, out, complaint)
	}
	if strings.Contains(complaint.String(), "unknown command") || out.Len()+complaint.Len() == 0 {
		t.Errorf("entire %s does not explain itself: %s%s", strings.Join(words, " "), out, complaint)
	}
}

// TestOurCommandsExist: what the table says to use can be used.
func TestOurCommandsExist(t *testing.T) {
	t.Parallel()
	root := rootCommand(&cliui.Env{})
	for _, f := range foreignCommands {
		for ours := range strings.SplitSeq(f.Ours, ", ") {
			var path []string
			for _, word := range strings.Fields(ours)[1:] {
				if strings.HasPrefix(word, "-") || strings.ToUpper(word) == word {
					break
				}
				path = append(path, word)
			}
			cmd, rest, err := root.Find(path)
			known := err == nil && len(rest) == 0 && !cliui.IsForeign(cmd) && !cmd.Hidden
			if !known && ours != "entire help" && ours != "entire completion SHELL" && (f.Runs == "" || f.Says == "") {
				t.Errorf("%s: there is no %s", f.Name, ours)
			}
			for _, word := range strings.Fields(ours) {
				if name, is := strings.CutPrefix(word, "--"); is && cmd.Flags().Lookup(name) == nil {
					t.Errorf("%s: %s has no flag --%s", f.Name, ours, name)
				}
			}
		}
	}
}

// TestForeignWordsAreNoLabels: no word of a command of other versions saves a point.
func TestForeignWordsAreNoLabels(t *testing.T) {
	t.Parallel()
	repo := testrepo.New(t)
	repo.Write("a.txt", "a\n")
	repo.Commit("first")
	env, out, complaint := clitest.WorldOf(repo)
	if err := execute(t.Context(), env, []string{"enable", "--agent", "claude-code"}); err != nil {
		t.Fatal(err, out, complaint)
	}
	for _, line := range foreignLines(t) {
		words := strings.Fields(line)
		for _, args := range [][]string{{words[0]}, {words[len(words)-1]}} {
			if args[0] != words[0] && !slices.ContainsFunc(foreignCommands, func(f cliui.Foreign) bool { return f.Name == line }) {
				continue // an argument
			}
			out.Reset()
			if err := execute(t.Context(), env, append([]string{"checkpoint"}, args...)); err == nil && strings.Contains(out.String(), "Saved") {
				t.Errorf("entire checkpoint %s saved a point", args[0])
			}
		}
	}
	out.Reset()
	if err := execute(t.Context(), env, []string{"checkpoint", "-m", "stop"}); err != nil || !strings.Contains(out.String(), "Saved stop") {
		t.Errorf("after -m any label can stand: %v %s%s", err, out, complaint)
	}
}

// The table of docs/coming-from.md is written from the commands; see `make commands`.
func TestComingFromDocument(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- Written by make commands from the commands themselves. -->\n", "<!-- End of what make commands writes. -->\n"
	file := filepath.Join("..", "..", "docs", "coming-from.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), begin)
	_, tail, also := strings.Cut(rest, end)
	if !ok || !also {
		t.Fatal("the document has no place for the table")
	}
	want := head + begin + foreignTable() + end + tail
	if slices.Contains(flag.Args(), "write-commands") {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(data) != want {
		t.Errorf("%s is not what the commands say, it says %s; see `make commands`", file, firstDifference(string(data), want))
	}
}

func foreignTable() string {
	var b strings.Builder
	b.WriteString("\n| there | here | |\n|---|---|---|\n")
	root := rootCommand(&cliui.Env{})
	for _, f := range foreignCommands {
		ours := "`" + strings.ReplaceAll(f.Ours, ", ", "`, `") + "`"
		if cmd, rest, _ := root.Find(strings.Fields(f.Runs)); f.Runs != "" && (cmd == root || len(rest) > 0 && rest[0][0] != '-') {
			ours = "none"
		}
		fmt.Fprintf(&b, "| `entire %s` | %s | %s |\n", f.Name, ours, f.Says)
	}
	b.WriteString("\n")
	return b.String()
}
