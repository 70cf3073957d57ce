package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/id"
	"entire/internal/term"
)

// shownSession returns a session's shortened ID for the screen. Where two IDs begin alike, a
// table shows more digits.
func shownSession(sid string) string { return shownLine(shortOf(sid, id.ShortSession)) }

// forkMark precedes the title of a fork.
const forkMark = "↳ "

// sessionTable returns a table of sessions for people.
func sessionTable(all []listedSession, t term.Terminal, width int, now time.Time, projects bool) string {
	short := shortNames(all)
	header := []string{"ID", "AGENT", "STATE", "WHEN", "MSGS", "TURNS", "TOKENS"}
	if projects {
		header = append(header, "FOLDER")
	}
	rows := [][]term.Cell{faintRow(t, append(header, "TITLE"))}
	for _, s := range all {
		row := term.Plain(short[s.ID], shownLine(agentWord(s)), s.State, age(now.Sub(s.Updated), s.Updated),
			number(s.Messages), number(s.Turns), number(s.Tokens))
		row[0].Style = func(text string) string { return t.Styled(term.Strong, text) }
		row[2].Style = stateStyle(t, s.State)
		if projects {
			row = append(row, term.Cell{Text: term.Cut(shownLine(filepath.Base(filepath.ToSlash(s.Folder))), 16)})
		}
		rows = append(rows, append(row, term.Cell{Text: taggedTitle(s)}))
	}
	return term.Columns(rows, width, 4, 5, 6)
}

func faintRow(t term.Terminal, texts []string) []term.Cell {
	row := term.Plain(texts...)
	for i := range row {
		row[i].Style = func(text string) string { return t.Styled(term.Faint, text) }
	}
	return row
}

func stateStyle(t term.Terminal, state string) func(string) string {
	switch state {
	case stateActive:
		return func(text string) string { return t.Styled(term.Good, text) }
	case stateEnded:
		return func(text string) string { return t.Styled(term.Faint, text) }
	}
	return nil
}

func titleOf(s listedSession) string {
	title := shortLine(s.Title, promptRunes)
	if title == "" {
		title = "(no prompt)"
	}
	if s.Parent != "" {
		return forkMark + title
	}
	return title
}

// taggedTitle returns a title with the user's tags.
func taggedTitle(s listedSession) string {
	title := titleOf(s)
	for _, tag := range s.Tags {
		title += " #" + shownLine(tag)
	}
	return title
}

// agentWord returns the agent in one word, which fits a table.
func agentWord(s listedSession) string {
	word, _, _ := strings.Cut(string(s.Agent), " ")
	if word == "" {
		return "-"
	}
	return word
}

// shortNames returns the beginnings of IDs that each identify one of the sessions.
func shortNames(all []listedSession) map[string]string {
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = s.ID
	}
	return shortIDs(ids)
}

// shortIDs is shortNames for IDs.
func shortIDs(ids []string) map[string]string {
	slices.Sort(ids)
	out := make(map[string]string, len(ids))
	for i, sid := range ids {
		n := id.ShortSession
		if i > 0 {
			n = max(n, inCommon(sid, ids[i-1])+1)
		}
		if i+1 < len(ids) {
			n = max(n, inCommon(sid, ids[i+1])+1)
		}
		out[sid] = shownLine(shortOf(sid, n))
	}
	return out
}

// inCommon returns how many bytes a and b begin with in common.
func inCommon(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// number returns a count in at most five columns; "-" for none.
func number(n int) string {
	switch {
	case n <= 0:
		return "-"
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	case n < 10_000_000:
		return fmt.Sprintf("%.1fM", float64(n/100_000)/10)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

// age returns how long ago something was, in few columns; after a hundred days, the month.
func age(d time.Duration, at time.Time) string {
	switch {
	case at.IsZero():
		return "-"
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	case d < 100*24*time.Hour:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
	return at.Local().Format("2006-01")
}
