package cliui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"entire/agent"
	"entire/id"
	"entire/internal/term"
)

const ListLimit = 100 // points

const PromptRunes = 60

const MessageRunes = 80

const IntentRunes = 80

func AgentOr(a agent.AgentType) agent.AgentType {
	if a == "" {
		return agent.AgentTypeUnknown
	}
	return a
}

func Comment(prompt string) string {
	if prompt == "" {
		return ""
	}
	return "  # " + OneLine(Printable(prompt))
}

func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func ShortID(id string) string { return id[:min(7, len(id))] }

func Enumerated(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// Count returns a number of things in words.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func LineCounts(insertions, deletions int) string {
	switch {
	case insertions < 0 || deletions < 0:
		return " (binary)"
	case insertions == 0 && deletions == 0:
		return ""
	}
	return fmt.Sprintf(" (+%d -%d)", insertions, deletions)
}

// ShownName quotes a name that would break the line, or that a terminal would not show as it is.
func ShownName(path string) string {
	for _, r := range path {
		if r == '"' || r == '\uFFFD' || !unicode.IsPrint(r) {
			return strconv.Quote(path)
		}
	}
	return path
}

// ByteCount returns a number of bytes in words for people.
func ByteCount(n int64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	case n < 1<<30:
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}

// ShellWord quotes a path for a shell if necessary.
func ShellWord(path string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("/._-+@:,", r) || r > 127
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// ShownSession returns a session's shortened ID for the screen. Where two IDs begin alike, a
// table shows more digits.
func ShownSession(sid string) string { return ShownLine(ShortOf(sid, id.ShortSession)) }

func FaintRow(t term.Terminal, texts []string) []term.Cell {
	row := term.Plain(texts...)
	for i := range row {
		row[i].Style = func(text string) string { return t.Styled(term.Faint, text) }
	}
	return row
}

// ShortIDs is ShortNames for IDs.
func ShortIDs(ids []string) map[string]string {
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
		out[sid] = ShownLine(ShortOf(sid, n))
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

// ShortNumber returns a count in at most five columns; "-" for none.
func ShortNumber(n int) string {
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

// ShortAge returns how long ago something was, in few columns; after a hundred days, the month.
func ShortAge(d time.Duration, at time.Time) string {
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

func FirstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// ShortLine returns foreign text as one line of at most n runes.
func ShortLine(text string, n int) string { return agent.ShortPrompt(Printable(text), n) }

func ShortOf(s string, n int) string { return s[:min(n, len(s))] }

// NamesShown bounds the files that status names for a session; --json lists all.
const NamesShown = 5

func SomeNames(files []string) string {
	var names []string
	for i, file := range files {
		if i == NamesShown {
			names = append(names, "…")
			break
		}
		names = append(names, ShownName(file))
	}
	return strings.Join(names, ", ")
}

func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d.Hours()/24))
}

// SheetText returns a text of others so that a spreadsheet does not take it for a formula.
func SheetText(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
