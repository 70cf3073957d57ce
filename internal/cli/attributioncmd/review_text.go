package attributioncmd

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"entire/internal/cli/cliui"
	"entire/internal/review"
	"entire/internal/term"
)

// Bounds of a review for people; --json and --html list everything.
const (
	placesListed   = 40 // of each level
	undoneListed   = 15
	reviewWidth    = 100 // columns where there is no terminal
	stretchesShown = 6
)

// A reviewWriter lays out a review.
type reviewWriter struct {
	strings.Builder
	d     *review.Document
	t     term.Terminal
	width int
}

// reviewText returns the document's order as text for people, in lines of width columns; 0 for no terminal.
func reviewText(d *review.Document, t term.Terminal, width int) string {
	if width <= 0 {
		width = reviewWidth
	}
	w := &reviewWriter{d: d, t: t, width: max(width, 40)}
	w.head()
	number := 1
	for _, level := range review.Levels() {
		number = w.level(level, number)
	}
	if len(d.Order) == 0 {
		w.WriteString("\nNothing to read first: people wrote all of it.\n")
	}
	w.undone()
	if len(d.Checks)+len(d.Violations) > 0 {
		writeTitle(&w.Builder, t, "Rules")
		w.WriteString(checksText(d, t))
		for i, v := range d.Violations {
			if i == placesListed {
				fmt.Fprintf(w, "  … and %d more\n", len(d.Violations)-i)
				break
			}
			w.wrap(cliui.ShownLine(violationText(v)), "  ", "    ", term.Bad)
		}
	}
	writeCast(&w.Builder, d, t, w.width)
	return w.String()
}

// violationText returns a violation with its place.
func violationText(v review.Violation) string {
	switch {
	case v.Path != "":
		return fmt.Sprintf("%s:%d: %s", v.Path, v.Start, v.Message)
	case v.Commit != "":
		return v.Commit[:7] + ": " + v.Message
	}
	return v.Message
}

// head writes what the change is, and who wrote it.
func (w *reviewWriter) head() {
	d, a := w.d, w.d.Totals.Added
	fmt.Fprintf(w, "%s  %s, %s, +%d −%d\n\n", w.t.Styled(term.Strong, cliui.ShownLine(d.Range.ShortName())),
		cliui.Count(len(d.Commits), "commit"), cliui.Count(d.Totals.Files, "file"), a.Lines, d.Totals.Removed.Lines)
	writeShares(&w.Builder, d, w.t)
	for i, line := range d.ClaimLines() {
		indent := ""
		if i > 0 {
			indent = "  "
		}
		w.wrap(cliui.ShownLine(line), indent, "  ", term.Faint)
	}
}

// level writes the items of a level, numbered from number on, and returns the next number.
func (w *reviewWriter) level(level string, number int) int {
	n := 0
	var before *review.Item
	for _, it := range w.d.Order {
		if it.Level() != level {
			continue
		}
		if n++; n == 1 {
			writeTitle(&w.Builder, w.t, strings.ToUpper(level[:1])+level[1:]+" risk")
		}
		if n <= placesListed {
			w.item(it, number+n-1, before != nil && before.SamePrompt(it))
			before = &it
		}
	}
	if n > placesListed {
		fmt.Fprintf(w, "  … and %d more: --json and --html have all\n", n-placesListed)
	}
	return number + n
}

// item writes a numbered item; again says that the one before has the same prompt.
func (w *reviewWriter) item(it review.Item, number int, again bool) {
	var lines []string
	for i, at := range it.Lines {
		if i == stretchesShown && len(it.Lines) > stretchesShown+1 {
			lines = append(lines, fmt.Sprintf("… %d more", len(it.Lines)-i))
			break
		}
		lines = append(lines, at.Name())
	}
	place := quotedPath(it.Path) + ":" + strings.Join(lines, ", ")
	about := fmt.Sprintf("+%d −%d", it.Added, it.Removed)
	if who := it.Who(); who != "" {
		about += "  " + cliui.ShownLine(who)
	}
	lead := fmt.Sprintf("%3d  ", number)
	if utf8.RuneCountInString(lead+place+"  "+about) <= w.width {
		fmt.Fprintf(w, "%s%s  %s\n", w.t.Styled(term.Faint, lead), w.t.Styled(term.Strong, place), w.t.Styled(term.Faint, about))
	} else {
		w.wrap(place, lead, "     ", term.Strong)
		fmt.Fprintf(w, "     %s\n", w.t.Styled(term.Faint, about))
	}
	if again {
		fmt.Fprintf(w, "     %s\n", w.t.Styled(term.Faint, "› the same prompt"))
	} else {
		w.prompt("›", it.Session, it.Prompt)
	}
	var why []string
	for _, r := range it.Reasons {
		why = append(why, r.Words())
	}
	w.wrap(cliui.ShownLine(strings.Join(why, "; ")), "     ", "     ", term.Faint)
}

// prompt writes the text of a prompt on one line, if it is known.
func (w *reviewWriter) prompt(sign, session string, number int) {
	if text := w.d.PromptLine(session, number); text != "" {
		fmt.Fprintf(w, "     %s %s\n", w.t.Styled(term.Faint, sign), cliui.ShortLine(text, max(20, w.width-7-utf8.RuneCountInString(sign))))
	}
}

// undone writes what was tried and undone.
func (w *reviewWriter) undone() {
	if len(w.d.Undone) == 0 {
		return
	}
	writeTitle(&w.Builder, w.t, "Tried and undone")
	for i, u := range w.d.Undone {
		if i == undoneListed && len(w.d.Undone) > undoneListed+1 {
			fmt.Fprintf(w, "  … and %d more: --json and --html have all\n", len(w.d.Undone)-i)
			break
		}
		w.wrap(quotedPath(u.Path)+": "+u.Words(), "  ", "    ", term.Strong)
		w.prompt("›", u.Session, u.Prompt)
		for _, line := range u.Texts[:min(1, len(u.Texts))] {
			fmt.Fprintf(w, "       %s\n", w.t.Styled(term.Faint, cliui.ShortLine(line, max(20, w.width-10))))
		}
		if u.By != u.Prompt {
			w.prompt("undone for ›", u.Session, u.By)
		}
	}
}

// wrap writes text in lines of the width, the first with one indent and the others with another.
func (w *reviewWriter) wrap(text, first, others string, style term.Style) {
	line, begun := first, false
	for _, word := range strings.Fields(text) {
		if begun && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > w.width {
			w.WriteString(w.t.Styled(style, line) + "\n")
			line, begun = others, false
		}
		if begun {
			line += " "
		}
		line, begun = line+word, true
	}
	w.WriteString(w.t.Styled(style, line) + "\n")
}
