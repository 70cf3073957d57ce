package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The table in docs/scenarios.md is what the scripts assert, put in words, so
// that it cannot say anything that no script proves. To write it anew:
//
//	make scenarios
func TestScenarioTable(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(scenarioDir(), "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var tables strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := parseScenarios(string(data))
		name := filepath.Base(file)
		for _, r := range s.rows {
			if r.trailer() == "" && r.state() == "" {
				t.Errorf("%s: the row %q asserts nothing", name, r.name)
			}
		}
		tables.WriteString(s.table(name))
	}
	doc := filepath.Join("..", "..", "docs", "scenarios.md")
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	const begin = "<!-- From here on written by make scenarios. -->\n"
	head, have, found := strings.Cut(string(text), begin)
	if !found {
		t.Fatalf("%s lacks the line %q", doc, begin)
	}
	if slices.Contains(flag.Args(), "write-scenarios") {
		if err := os.WriteFile(doc, []byte(head+begin+tables.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have != tables.String() {
		t.Errorf("%s is not what the scripts assert, it says %s; see `make scenarios`", doc, firstDifference(have, tables.String()))
	}
}

func firstDifference(have, want string) string {
	a, b := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%.200q and not %.200q", a[i], b[i])
		}
	}
	return "one is longer"
}

// scenarios are the rows of one script.
type scenarios struct {
	intro []string // a heading, and what there is to say beside the rows
	rows  []scenarioRow
}

type scenarioRow struct {
	name  string
	lines [][]string // its commands, in words
}

func parseScenarios(text string) (s scenarios) {
	text, _, _ = strings.Cut(text, "\n-- ")
	for line := range strings.Lines(text) {
		words := scriptWords(strings.TrimSpace(line))
		switch {
		case len(words) == 0:
		case words[0] == "#":
			if len(s.rows) == 0 {
				s.intro = append(s.intro, strings.TrimPrefix(strings.TrimSpace(line), "# "))
			}
		case words[0] == "row":
			s.rows = append(s.rows, scenarioRow{name: words[1]})
		case len(s.rows) > 0:
			last := &s.rows[len(s.rows)-1]
			last.lines = append(last.lines, words)
		}
	}
	return s
}

// scriptWords splits a line as testscript does.
func scriptWords(line string) []string {
	if strings.HasPrefix(line, "#") {
		return []string{"#"}
	}
	var words []string
	var word strings.Builder
	inWord, quoted := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' && quoted && i+1 < len(line) && line[i+1] == '\'':
			word.WriteByte('\'')
			i++
		case c == '\'':
			quoted, inWord = !quoted, true
		case c == ' ' && !quoted:
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

func (s scenarios) table(file string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\n## %s\n\n%s\nProved by `testdata/script/commit/%s`.\n\n", s.intro[0], strings.Join(s.intro[1:], "\n"), file)
	out.WriteString("| situation | trailer | what is stored | state afterwards |\n|---|---|---|---|\n")
	for _, r := range s.rows {
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", cell(r.name), cell(r.trailer()), cell(r.stored()), cell(r.state()))
	}
	return out.String()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// trailer tells of the commits in the order in which they are looked at.
func (r scenarioRow) trailer() string {
	var parts []string
	kept := map[string]bool{} // told of since anything happened
	for _, w := range r.lines {
		switch w[0] {
		case "trailers":
			parts = append(parts, ofCommit(w[1], map[bool]string{true: "kept", false: "all kept"}[len(w) == 3]))
			kept[w[1]] = true
		case "linked":
			if n := len(splitAt(w[2:], "+")); n > 1 && !kept[w[1]] {
				parts = append(parts, ofCommit(w[1], fmt.Sprint(n)))
			} else if !kept[w[1]] {
				parts = append(parts, ofCommit(w[1], "yes"))
			}
		case "unlinked":
			parts = append(parts, ofCommit(w[1], "no"))
		case "git", "sh", "shell", "turn", "end", "event", "exec":
			clear(kept)
		}
	}
	return strings.Join(parts, "; ")
}

func ofCommit(commit, what string) string {
	if commit == "HEAD" {
		return what
	}
	return "`" + commit + "` " + what
}

var slotText = strings.NewReplacer(" and + and ", ", then ", ":", ": ", ",", ", ")

func (r scenarioRow) stored() string {
	var parts []string
	for _, w := range r.lines {
		if w[0] == "linked" {
			parts = append(parts, ofCommit(w[1], slotText.Replace(strings.Join(w[2:], " and "))))
		}
	}
	return strings.Join(parts, "; ")
}

func (r scenarioRow) state() string {
	var parts []string
	for _, w := range r.lines {
		switch w[0] {
		case "pending":
			if w[2] == "none" {
				parts = append(parts, "nothing of "+w[1]+" pending")
			} else {
				parts = append(parts, strings.Join(w[2:], ", ")+" of "+w[1]+" pending")
			}
		case "phase":
			parts = append(parts, w[1]+" "+w[2])
		case "branches":
			if w[1] == "0" {
				parts = append(parts, "no shadow branch")
			}
		case "stored":
			parts = append(parts, w[1]+" stored")
		case "problem":
			parts = append(parts, "`status` names it")
		case "settled":
			parts = append(parts, "nothing left, "+w[1]+" stored")
		}
	}
	return strings.Join(parts, "; ")
}
