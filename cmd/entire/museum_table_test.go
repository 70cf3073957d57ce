package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// exhibit is what a script says of itself in its first lines.
type exhibit struct {
	file, title, agent, lost, gone string
	reported                       []string
	late                           bool
}

// exhibits are the scripts of the museum, and those of the rewind lessons that say where they were reported.
func exhibits(t *testing.T) []exhibit {
	t.Helper()
	var out []exhibit
	for _, dir := range []string{museumDir(), lessonsDir()} {
		files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			e := exhibit{file: filepath.Base(file)}
			if dir != museumDir() {
				e.file = "../script/rewind/" + e.file
			}
			for line := range strings.Lines(string(text)) {
				name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "# "), ": ")
				if !strings.HasPrefix(line, "#") || !ok {
					break
				}
				switch name {
				case "title":
					e.title = value
				case "agent":
					e.agent = value
				case "reported":
					e.reported = strings.Fields(value)
				case "lost":
					e.lost = value
				case "afterwards":
					e.late, e.gone = true, value
				}
			}
			if dir == museumDir() || len(e.reported) > 0 {
				out = append(out, e)
			}
		}
	}
	return out
}

const exhibitsFrom, figuresFrom = "<!-- exhibits, by make museum -->\n", "<!-- figures, by make museum -->\n"

// exhibitTable is the first table of museum.md.
func exhibitTable(list []exhibit) string {
	var b strings.Builder
	b.WriteString("| exhibit | what happened | agent | reported at | what was lost then |\n|---|---|---|---|---|\n")
	for _, e := range list {
		links := make([]string, len(e.reported))
		for i, r := range e.reported {
			repo, number, _ := strings.Cut(r, "#")
			links[i] = "[" + r + "](https://github.com/" + repo + "/issues/" + number + ")"
		}
		fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %s | %s |\n", strings.TrimSuffix(filepath.Base(e.file), ".txtar"), e.file, e.title, e.agent, strings.Join(links, ", "), e.lost)
	}
	fmt.Fprintf(&b, "\n%d exhibits.\n\n%s", len(list), aboutFigures)
	return b.String()
}

// aboutFigures stands above the second table.
const aboutFigures = `## Where Entire came afterwards

The exhibits below were also run up to the loss without Entire: there is only what the agent's program, git and editors leave behind. Then
` + "`entire rescue files`" + ` is asked what is lost, then for each file by name, then for its versions, until one is the file as it was.

- Lost are the bytes of lines that neither the files have any more, nor the commit that is checked out.
- A line that ` + "`rescue files`" + ` knows counts, also if the file is not known whole.
- What a person typed is in an editor's local history (as VS Code keeps it) only where the script says ` + "`types`" + `.

`

func museumDocument() string { return filepath.Join(museumDir(), "museum.md") }

// The tables of museum.md are of the exhibits. `make museum` writes them.
func TestMuseumTable(t *testing.T) {
	list := exhibits(t)
	doc, err := os.ReadFile(museumDocument())
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := bytes.Cut(doc, []byte(exhibitsFrom))
	table, second, ok2 := bytes.Cut(rest, []byte(figuresFrom))
	if !ok || !ok2 {
		t.Fatalf("%s has lost its marks", museumDocument())
	}
	want := exhibitTable(list)
	if slices.Contains(os.Args, "write-museum") {
		m := &museum{late: true}
		t.Run("afterwards", func(t *testing.T) { testscript.Run(t, lateParams(t, m, list)) })
		figures := m.figures.table(t, list)
		text := string(head) + exhibitsFrom + want + figuresFrom + figures
		if err := os.WriteFile(museumDocument(), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Print(figures)
		return
	}
	if string(table) != want {
		t.Errorf("%s is not of the exhibits: make museum", museumDocument())
	}
	for _, e := range list {
		if name := "| " + strings.TrimSuffix(filepath.Base(e.file), ".txtar") + " |"; e.late != bytes.Contains(second, []byte(name)) {
			t.Errorf("the figures in %s are not of %s: make museum", museumDocument(), e.file)
		}
	}
}
