package main

import (
	"fmt"
	"strconv"
	"strings"

	"entire/internal/attribution"
	"entire/internal/lineage"
	"entire/internal/term"
)

// blameText is a table: commit, who, author, session and turn, line.
func (w *world) blameText(lines []lineage.Line) string {
	screen := w.screen()
	rows := make([][]term.Cell, len(lines))
	for i, l := range lines {
		commit, author, day := "uncommitted", "", ""
		if !l.Commit.IsZero() {
			commit, author, day = l.Commit.Short(), term.Cut(shownLine(l.Author), 16), l.Time.UTC().Format("2006-01-02")
		}
		rows[i] = []term.Cell{
			{Text: commit, Style: func(s string) string { return screen.Styled(term.Faint, s) }},
			{Text: ownerText(l.Origin), Style: ownerStyle(screen, l.Origin)},
			{Text: turnText(l.Origin), Style: func(s string) string { return screen.Styled(term.Faint, s) }},
			{Text: author}, {Text: day},
			{Text: strconv.Itoa(l.Number), Style: func(s string) string { return screen.Styled(term.Faint, s) }},
			{Text: "│ " + printable(strings.ReplaceAll(l.Text, "\t", "    "))},
		}
	}
	return term.Columns(rows, 0, 5)
}

// ownerText names who wrote a line; a question mark where that is not known.
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
	return func(s string) string { return screen.Styled(style, s) }
}

// turnText is the session, shortened, with the number of its turn.
func turnText(o lineage.Origin) string {
	if !o.Agent() {
		return ""
	}
	text := shownLine(o.Owner.SessionID)
	text = text[:min(8, len(text))]
	if o.Owner.Turn > 0 {
		text += fmt.Sprintf("#%d", o.Owner.Turn)
	}
	return text
}

// blamePorcelain is for programs that read lines: a header, one "key value" a line,
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
