package attributioncmd

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"entire/internal/attribution"
	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/term"
)

// The terminal widths from which blame shows session, turn and age, and commit and author, too.
const (
	usualBlame = 60
	wideBlame  = 100
)

// blameText returns a table that fits the terminal; without a terminal, one row for each line
// with every field.
func blameText(env *cliui.Env, lines []lineage.Line) string {
	width := term.Width(env.Out)
	rows := make([][]term.Cell, len(lines))
	for i, l := range lines {
		repeated := width > 0 && i > 0 && ownerlib.SameOrigin(lines[i-1], l)
		switch {
		case width == 0:
			rows[i] = blameRow(env, l)
		default:
			rows[i] = blameCells(env, l, repeated, width)
		}
	}
	return term.Columns(rows, width, len(rows[0])-2) + unnamedText(lines)
}

// unnamedText names the commits of the lines that are linked without a trailer.
func unnamedText(lines []lineage.Line) string {
	var b strings.Builder
	seen := map[git.OID]bool{}
	for _, l := range lines {
		if l.WithoutTrailer && !seen[l.Commit] {
			seen[l.Commit] = true
			fmt.Fprintf(&b, "%s is %s (its message does not name its checkpoint)\n", l.Commit.Short(), workplace.WithoutTrailer)
		}
	}
	return b.String()
}

// blameRow returns commit, owner, session and turn, author, date, number and text of a line.
func blameRow(env *cliui.Env, l lineage.Line) []term.Cell {
	day := ""
	if !l.Commit.IsZero() {
		day = l.Time.UTC().Format("2006-01-02")
	}
	screen := env.Screen()
	faint := screen.Style(term.Faint)
	commit, author := blameCommit(l, faint)
	turn := term.Cell{Text: ownerlib.TurnText(l.Origin), Style: faint}
	owner := term.Cell{Text: ownerlib.OwnerText(l.Origin), Style: ownerStyle(screen, l.Origin)}
	number, code := blameCode(l, faint)
	return []term.Cell{commit, owner, turn, author, {Text: day}, number, code}
}

// blameCommit returns the commit of a line and its author.
func blameCommit(l lineage.Line, faint func(string) string) (commit, author term.Cell) {
	if l.Commit.IsZero() {
		return term.Cell{Text: "uncommitted", Style: faint}, term.Cell{}
	}
	return term.Cell{Text: l.Commit.Short(), Style: faint}, term.Cell{Text: term.Cut(cliui.ShownLine(l.Author), 16)}
}

// blameCells returns owner, age, number and text of a line, before them commit and author if the terminal is wide, and
// no age if it is narrow. What the line above has too is left out.
func blameCells(env *cliui.Env, l lineage.Line, repeated bool, width int) []term.Cell {
	screen := env.Screen()
	faint := screen.Style(term.Faint)
	var commit, author, owner, age term.Cell
	if !repeated {
		commit, author = blameCommit(l, faint)
		owner = term.Cell{Text: ownerlib.OwnerText(l.Origin), Style: ownerStyle(screen, l.Origin)}
		if width >= usualBlame {
			owner.Text = strings.TrimSpace(owner.Text + " " + ownerlib.TurnText(l.Origin))
		}
		age = term.Cell{Text: "new", Style: faint}
		if !l.Commit.IsZero() {
			age.Text = shortAge(env.Now().Sub(l.Time))
		}
	}
	number, code := blameCode(l, faint)
	switch {
	case width >= wideBlame:
		return []term.Cell{commit, author, owner, age, number, code}
	case width < usualBlame:
		return []term.Cell{owner, number, code}
	}
	return []term.Cell{owner, age, number, code}
}

// blameCode returns the number and the text of a line.
func blameCode(l lineage.Line, faint func(string) string) (number, code term.Cell) {
	return term.Cell{Text: strconv.Itoa(l.Number), Style: faint},
		term.Cell{Text: "│ " + cliui.Printable(strings.ReplaceAll(l.Text, "\t", "    "))}
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
