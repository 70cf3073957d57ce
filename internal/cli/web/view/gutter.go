package view

import (
	"html/template"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/lineage"
	"entire/internal/patch"
)

// A CodeLine is a line of a file, with its owner at the first line of those that the owner wrote.
type CodeLine struct {
	Number int
	Code   template.HTML
	Why    string // the address that says why; "" where nobody knows
	New    bool   // this state of the file added it
	Owner  *Gutter
}

// A Gutter is the owner of adjacent lines.
type Gutter struct {
	Rows     int
	Class    string // agent, human or unknown
	Short    string
	Writer   string
	Evidence string
	Commit   string
	Subject  string
	Author   string
	Time     time.Time
	Why      string
}

// CodeLines returns lines of a file from number first on, in the colours of its language. The owners are those
// of the same lines; nil where they are not known. why returns the address that says why a line is there, "" for
// none; then its owner leads to the commit.
func CodeLines(path string, lines []string, first int, owners []lineage.Line, why func(line int) string, commit func(id string) string) []CodeLine {
	colours := patch.Colour(path, strings.Join(lines, "\n"))
	out := make([]CodeLine, len(lines))
	var last *Gutter
	for i := range lines {
		out[i] = CodeLine{Number: first + i}
		if i < len(colours) {
			out[i].Code = codeHTML(colours[i])
		}
		if i >= len(owners) {
			continue
		}
		out[i].Why = why(first + i)
		if i > 0 && ownerlib.SameOrigin(owners[i-1], owners[i]) {
			last.Rows++
			continue
		}
		last = gutter(owners[i])
		if last.Why = out[i].Why; last.Why == "" && last.Commit != "" {
			last.Why = commit(last.Commit)
		}
		out[i].Owner = last
	}
	return out
}

func gutter(l lineage.Line) *Gutter {
	v := ownerlib.Why{OwnedLine: ownerlib.ViewLine(l), Found: l}
	g := &Gutter{Rows: 1, Class: v.Class, Short: ownerlib.OwnerText(l.Origin), Writer: v.Writer(), Evidence: ownerlib.EvidenceText(l.Evidence, v.Class),
		Subject: l.Summary, Author: l.Author, Time: l.Time}
	if !l.Commit.IsZero() {
		g.Commit = l.Commit.String()
	}
	if l.Agent() && v.Turn > 0 {
		g.Short += cliui.Printable(turnMark(v.Turn))
	}
	if g.Class != "agent" && g.Class != "human" {
		g.Class, g.Short = "unknown", "unknown"
	}
	return g
}

func turnMark(turn int) string { return " #" + number(turn) }
