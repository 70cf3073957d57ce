package searchcmd

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/searchlib"
	"entire/internal/term"
)

// An answerText writes an answer for people.
type answerText struct{ *searchlib.Answer }

// text returns the answer as text for people.
func (v answerText) text(env *cliui.Env) string {
	if len(v.Hits) == 0 {
		return "Nothing found.\n"
	}
	t, width, now := env.Screen(), env.Width(), env.Now()
	var b strings.Builder
	partial := false
	for i, h := range v.Hits {
		if h.Partial && !partial {
			partial = true
			note := "These have some of the words:"
			if i == 0 {
				note = "Nothing has all of the words. " + note
			}
			b.WriteString(t.Styled(term.Faint, note) + "\n\n")
		}
		writeHit(h, &b, cmp.Or(v.Short[h.SessionID], cliui.ShownLine(h.SessionID)), t, width, now)
	}
	b.WriteString(t.Styled(term.Faint, v.footer()) + "\n")
	return b.String()
}

func (v answerText) footer() string {
	h := v.Hits[0]
	show := h.Show
	if short := v.Short[h.SessionID]; short != "" && h.Kind != "checkpoint" {
		show = strings.Replace(show, h.SessionID, short, 1)
	}
	found := fmt.Sprintf("%d of %d", len(v.Hits), max(v.Matches, len(v.Hits)))
	if v.More {
		found += " and more"
	}
	return fmt.Sprintf("%s. To read on: %s", found, show)
}

// writeHit writes a hit: what and where it is, and its snippet.
func writeHit(h searchlib.Hit, b *strings.Builder, short string, t term.Terminal, width int, now time.Time) {
	head := t.Styled(term.Strong, short)
	var words []string
	switch h.Kind {
	case "checkpoint":
		head = t.Styled(term.Strong, h.Checkpoint)
		words = append(words, "checkpoint")
	case "session":
		words = append(words, "session")
	default:
		head += t.Styled(term.Strong, fmt.Sprintf(" #%d", h.Message))
		words = append(words, h.Role)
	}
	if !h.Time.IsZero() {
		words = append(words, cliui.ShortAge(now.Sub(h.Time), h.Time))
	}
	for _, flag := range []struct {
		is   bool
		word string
	}{{h.Failed, "failed"}, {h.Rewound, "rewound"}, {h.Sidechain, "subagent"}} {
		if flag.is {
			words = append(words, flag.word)
		}
	}
	if !h.Here && h.Folder != "" {
		words = append(words, cliui.ShownLine(filepath.Base(filepath.ToSlash(h.Folder))))
	}
	if len(h.Branches) > 0 {
		words = append(words, cliui.ShownLine(h.Branches[len(h.Branches)-1]))
	}
	for _, tag := range h.Tags {
		if !strings.Contains(tag, ":") { // not an automatic tag
			words = append(words, "#"+cliui.ShownLine(tag))
		}
	}
	switch {
	case h.Title == "":
		words = append(words, "(no title)")
	case h.Kind != "checkpoint" || h.Title != h.Snippet:
		words = append(words, cliui.ShortLine(h.Title, cliui.PromptRunes))
	}
	fmt.Fprintf(b, "%s  %s\n", head, t.Styled(term.Faint, strings.Join(words, "  ")))
	b.WriteString(shownSnippet(h, t, width))
	var more []string
	if len(h.Near) > 0 {
		var numbers []string
		for _, n := range h.Near {
			numbers = append(numbers, fmt.Sprintf("#%d", n))
		}
		more = append(more, "also "+strings.Join(numbers, ", "))
	}
	if len(h.Same) > 0 {
		more = append(more, "the same text "+cliui.Count(len(h.Same), "time")+" more")
	}
	if len(more) > 0 {
		b.WriteString("    " + t.Styled(term.Faint, strings.Join(more, "; ")) + "\n")
	}
	b.WriteByte('\n')
}

// snippetLines bounds the lines of a snippet on the screen.
const snippetLines = 3

// shownSnippet returns the snippet in lines that fit, with the matches marked.
func shownSnippet(h searchlib.Hit, t term.Terminal, width int) string {
	room := 96
	if width > 20 {
		room = min(width-4, 110)
	}
	var b strings.Builder
	line, lines, at, space := 0, 0, 0, ""
	b.WriteString("    ")
	put := func(text string, marked bool) {
		for i, word := range strings.SplitAfter(text, " ") {
			word, spaced := strings.CutSuffix(cliui.Printable(word), " ")
			n := len([]rune(word))
			if line > 0 && line+len(space)+n > room && (i > 0 || space != "") {
				b.WriteString("\n    ")
				line, space = 0, ""
				lines++
			}
			if lines >= snippetLines {
				return
			}
			b.WriteString(space)
			line += len(space) + n
			if space = ""; spaced {
				space = " "
			}
			if marked {
				word = t.Styled(term.Match, word)
			}
			b.WriteString(word)
		}
	}
	for _, m := range h.Marks {
		put(h.Snippet[at:m[0]], false)
		put(h.Snippet[m[0]:m[1]], true)
		at = m[1]
	}
	put(h.Snippet[at:], false)
	return strings.TrimRight(b.String(), " \n") + "\n"
}
