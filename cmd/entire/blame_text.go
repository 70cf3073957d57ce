package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/term"
)

// wideBlame is the terminal width from which blame also shows commit and author.
const wideBlame = 100

// blameText returns a table that fits the terminal; without a terminal, one row for each line
// with every field.
func (w *world) blameText(lines []lineage.Line) string {
	width := term.Width(w.out)
	rows := make([][]term.Cell, len(lines))
	for i, l := range lines {
		repeated := i > 0 && sameOrigin(lines[i-1], l)
		switch {
		case width == 0:
			rows[i] = w.blameRow(l)
		case width < wideBlame:
			rows[i] = w.blameCells(l, repeated)
		default:
			rows[i] = append(w.blameCommit(l, repeated), w.blameCells(l, repeated)...)
		}
	}
	return term.Columns(rows, width, len(rows[0])-2) + unnamedText(lines)
}

// withoutTrailer describes a commit whose message does not name its checkpoint.
const withoutTrailer = "linked without a trailer"

// unnamedText names the commits of the lines that are linked without a trailer.
func unnamedText(lines []lineage.Line) string {
	var b strings.Builder
	seen := map[git.OID]bool{}
	for _, l := range lines {
		if l.Unnamed && !seen[l.Commit] {
			seen[l.Commit] = true
			fmt.Fprintf(&b, "%s is %s (its message does not name its checkpoint)\n", l.Commit.Short(), withoutTrailer)
		}
	}
	return b.String()
}

// sameOrigin reports whether both lines have the same commit, owner and turn.
func sameOrigin(a, b lineage.Line) bool {
	return a.Commit == b.Commit && ownerText(a.Origin) == ownerText(b.Origin) && turnText(a.Origin) == turnText(b.Origin)
}

// blameRow returns commit, owner, session and turn, author, date, number and text of a line.
func (w *world) blameRow(l lineage.Line) []term.Cell {
	day := ""
	if !l.Commit.IsZero() {
		day = l.Time.UTC().Format("2006-01-02")
	}
	screen := w.screen()
	cells := w.blameCommit(l, false)
	commit, author := cells[0], cells[1]
	turn := term.Cell{Text: turnText(l.Origin), Style: screen.Style(term.Faint)}
	owner := term.Cell{Text: ownerText(l.Origin), Style: ownerStyle(screen, l.Origin)}
	return append([]term.Cell{commit, owner, turn, author, {Text: day}}, w.blameCode(l)...)
}

// blameCommit returns the commit of a line and its author; both empty if the line above has the
// same.
func (w *world) blameCommit(l lineage.Line, repeated bool) []term.Cell {
	commit, author := "uncommitted", ""
	if !l.Commit.IsZero() {
		commit, author = l.Commit.Short(), term.Cut(shownLine(l.Author), 16)
	}
	if repeated {
		commit, author = "", ""
	}
	return []term.Cell{{Text: commit, Style: w.screen().Style(term.Faint)}, {Text: author}}
}

// blameCells returns owner, age, number and text of a line.
func (w *world) blameCells(l lineage.Line, repeated bool) []term.Cell {
	screen := w.screen()
	owner, age := strings.TrimSpace(ownerText(l.Origin)+" "+turnText(l.Origin)), "new"
	if !l.Commit.IsZero() {
		age = shortAge(w.now().Sub(l.Time))
	}
	if repeated {
		owner, age = "", ""
	}
	return append([]term.Cell{
		{Text: owner, Style: ownerStyle(screen, l.Origin)}, {Text: age, Style: screen.Style(term.Faint)},
	}, w.blameCode(l)...)
}

// blameCode returns the number and the text of a line.
func (w *world) blameCode(l lineage.Line) []term.Cell {
	return []term.Cell{
		{Text: strconv.Itoa(l.Number), Style: w.screen().Style(term.Faint)},
		{Text: "│ " + printable(strings.ReplaceAll(l.Text, "\t", "    "))},
	}
}

// shortAge returns an age in one unit, in at most four columns.
func shortAge(d time.Duration) string {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"y", 365 * day}, {"mo", 30 * day}, {"w", 7 * day}, {"d", day}, {"h", time.Hour}, {"m", time.Minute}} {
		if d >= unit.length {
			return strconv.Itoa(int(d/unit.length)) + unit.name
		}
	}
	return "now"
}

// ownerText names the owner of a line; "?" for unknown.
func ownerText(o lineage.Origin) string {
	switch {
	case o.Agent() && o.Owner.Agent != "":
		return shownLine(o.Owner.Agent)
	case o.Agent():
		return "agent"
	case o.Owner.Class == attribution.ClassHuman:
		return "person"
	}
	return "?"
}

func ownerStyle(screen term.Terminal, o lineage.Origin) func(string) string {
	style := term.Faint
	switch {
	case o.Agent():
		style = term.Strong
	case o.Owner.Class == attribution.ClassHuman:
		style = term.Good
	}
	return screen.Style(style)
}

// turnText returns the shortened session ID with the number of the turn; "" unless an agent owns
// the line.
func turnText(o lineage.Origin) string {
	if !o.Agent() {
		return ""
	}
	text := shownSession(o.Owner.SessionID)
	if o.Owner.Turn > 0 {
		text += fmt.Sprintf("#%d", o.Owner.Turn)
	}
	return text
}

// blamePorcelain returns the format for programs: for each line a header, one "key value" a line,
// and the line itself after a tab.
func blamePorcelain(lines []lineage.Line) string {
	var b strings.Builder
	for _, l := range lines {
		commit := l.Commit.String()
		if commit == "" {
			commit = strings.Repeat("0", 40)
		}
		fmt.Fprintf(&b, "%s %d %d\n", commit, max(l.CommitLine, l.Number*btoi(l.Commit.IsZero())), l.Number)
		field := func(key, value string) {
			if value != "" {
				b.WriteString(key + " " + oneLine(value) + "\n")
			}
		}
		field("author", l.Author)
		field("author-mail", l.Mail)
		if !l.Commit.IsZero() {
			field("author-time", strconv.FormatInt(l.Time.Unix(), 10))
		}
		field("summary", l.Summary)
		field("filename", l.CommitPath)
		field("class", l.Owner.Class)
		field("agent", l.Owner.Agent)
		field("model", l.Owner.Model)
		field("session", l.Owner.SessionID)
		if l.Owner.Turn > 0 {
			field("turn", strconv.Itoa(l.Owner.Turn))
		}
		field("tool-use", l.Owner.ToolUseID)
		field("checkpoint", l.Checkpoint.String())
		if l.Unnamed {
			field("linked-without-trailer", "1")
		}
		field("evidence", string(l.Evidence))
		b.WriteString("\t" + l.Text + "\n")
	}
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
