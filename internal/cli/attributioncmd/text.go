package attributioncmd

import (
	"fmt"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/review"
	"entire/internal/term"
)

// Bounds of the lists for people; --json and --html list everything.
const (
	barWidth      = 20
	filesListed   = 40
	promptsListed = 10
	hunksListed   = 5
)

// attributionText returns the document as text for people.
func attributionText(d *review.Document, t term.Terminal) string {
	var b strings.Builder
	a := d.Totals.Added
	fmt.Fprintf(&b, "%s  %s, %s, +%d −%d\n\n", t.Styled(term.Strong, cliui.ShownLine(d.Range.Name)),
		cliui.Count(len(d.Commits), "commit"), cliui.Count(d.Totals.Files, "file"), a.Lines, d.Totals.Removed.Lines)
	writeShares(&b, d, t)
	if a.Older > 0 {
		fmt.Fprintf(&b, "%s\n", t.Styled(term.Faint, fmt.Sprintf("%s only moved or re-indented, not counted", cliui.Count(a.Older, "line"))))
	}
	if d.Totals.Skipped > 0 {
		fmt.Fprintf(&b, "%s\n", t.Styled(term.Faint, fmt.Sprintf("%s skipped: binary, a submodule or too large", cliui.Count(d.Totals.Skipped, "file"))))
	}
	for i, line := range d.ClaimLines() {
		if i > 0 {
			line = "  " + line
		}
		fmt.Fprintf(&b, "%s\n", t.Styled(term.Faint, cliui.ShownLine(line)))
	}
	for _, c := range d.Commits {
		if c.Unnamed {
			fmt.Fprintf(&b, "%s\n", t.Styled(term.Faint, fmt.Sprintf("%s is %s: its message does not name its checkpoint", c.ID[:7], workplace.WithoutTrailer)))
		}
	}
	if d.Groups != nil {
		writeTitle(&b, t, "By "+d.Groups.By)
		writeTally(&b, t, d.Groups.Rows)
	} else if len(d.Files) > 0 {
		writeTitle(&b, t, "Files")
		writeTally(&b, t, fileRows(d))
	}
	writeAgentOnly(&b, d, t)
	writeCast(&b, d, t, 0)
	if len(d.Checks) > 0 {
		writeTitle(&b, t, "Limits")
		b.WriteString(checksText(d, t))
	}
	return b.String()
}

func writeTitle(b *strings.Builder, t term.Terminal, title string) {
	fmt.Fprintf(b, "\n%s\n", t.Styled(term.Strong, title))
}

// writeShares writes a bar for each class of owner.
func writeShares(b *strings.Builder, d *review.Document, t term.Terminal) {
	a := d.Totals.Added
	if a.Written() == 0 {
		b.WriteString("no lines were written\n")
		return
	}
	var rows [][]term.Cell
	for _, c := range []struct {
		name  string
		n     int
		style term.Style
	}{{"agent", a.Agent, term.Strong}, {"person", a.Human, term.Good}, {"unknown", a.Unknown, term.Faint}} {
		style := func(s string) string { return t.Styled(c.style, s) }
		rows = append(rows, []term.Cell{{Text: c.name, Style: style}, {Text: review.Bar(a.Share(c.n), barWidth), Style: style},
			{Text: fmt.Sprintf("%.1f %%", a.Share(c.n))}, {Text: cliui.Count(c.n, "line")}})
	}
	b.WriteString(term.Columns(rows, 0, 2, 3))
}

func fileRows(d *review.Document) []review.Row {
	var rows []review.Row
	for i := range d.Files {
		f := &d.Files[i]
		name := f.Path
		if f.OldPath != "" {
			name = f.OldPath + " → " + f.Path
		}
		rows = append(rows, review.Row{Name: name, Added: f.Added, Removed: f.Removed})
	}
	return rows
}

// quotedPath returns a document's path for the screen. The document has already quoted a path
// that JSON cannot hold.
func quotedPath(path string) string {
	if strings.HasPrefix(path, `"`) {
		return cliui.Printable(path)
	}
	return cliui.ShownName(path)
}

func writeTally(b *strings.Builder, t term.Terminal, list []review.Row) {
	faint := func(s string) string { return t.Styled(term.Faint, s) }
	rows := [][]term.Cell{{{Text: ""}, {Text: "+", Style: faint}, {Text: "−", Style: faint}, {Text: "agent", Style: faint}, {Text: "person", Style: faint},
		{Text: "unknown", Style: faint}, {Text: "", Style: faint}}}
	number := func(n int) term.Cell {
		if n == 0 {
			return term.Cell{Text: "·", Style: faint}
		}
		return term.Cell{Text: fmt.Sprint(n)}
	}
	for i, r := range list {
		if i == filesListed && len(list) > filesListed+1 {
			break
		}
		share := ""
		if r.Added.Written() > 0 {
			share = review.Bar(r.Added.Share(r.Added.Agent), barWidth)
		}
		rows = append(rows, []term.Cell{{Text: share}, number(r.Added.Lines), number(r.Removed.Lines),
			number(r.Added.Agent), number(r.Added.Human), number(r.Added.Unknown), {Text: quotedPath(r.Name)}})
	}
	b.WriteString(term.Columns(rows, 0, 1, 2, 3, 4, 5))
	if left := len(list) - filesListed; left > 1 {
		fmt.Fprintf(b, "… and %d more: --json and --html have all\n", left)
	}
}

// writeAgentOnly names the files and hunks that only agents have touched.
func writeAgentOnly(b *strings.Builder, d *review.Document, t term.Terminal) {
	files, hunks := d.AgentOnly()
	if len(files)+len(hunks) == 0 {
		return
	}
	writeTitle(b, t, "Touched only by agents")
	n := 0
	line := func(format string, args ...any) {
		if n++; n <= filesListed {
			fmt.Fprintf(b, "  "+format+"\n", args...)
		}
	}
	for _, path := range files {
		line("%s", quotedPath(path))
	}
	for i := range d.Files {
		list := hunks[d.Files[i].Path]
		if len(list) == 0 {
			continue
		}
		line("%s: %s", quotedPath(d.Files[i].Path), review.HunkNames(list, hunksListed))
	}
	if n > filesListed {
		fmt.Fprintf(b, "  … and %d more files\n", n-filesListed)
	}
}

// writeCast lists the sessions with their prompts, files in lines of width columns; 0 for any length.
func writeCast(b *strings.Builder, d *review.Document, t term.Terminal, width int) {
	if len(d.Sessions) == 0 {
		return
	}
	writeTitle(b, t, "Sessions")
	for _, s := range d.Sessions {
		about := []string{fmt.Sprintf("+%d −%d", s.Added, s.Removed)}
		if s.Usage != nil {
			about = append(about, fmt.Sprintf("%s tokens", review.Thousands(s.Usage.Total())))
		}
		if c := s.Counted; c != nil {
			about = append(about, fmt.Sprintf("%d of %s by its checkpoints' own count", c.AgentLines, cliui.Count(c.TotalCommitted, "line")))
		}
		models := ""
		if len(s.Models) > 0 {
			models = " (" + cliui.ShownLine(strings.Join(s.Models, ", ")) + ")"
		}
		fmt.Fprintf(b, "  %s  %s%s  %s\n", t.Styled(term.Strong, cliui.ShownSession(s.ID)), cliui.ShownLine(s.Agent), models, strings.Join(about, ", "))
		for i, work := range d.PromptResults(s) {
			if i == promptsListed && len(s.Prompts) > promptsListed+1 {
				fmt.Fprintf(b, "    … and %d more\n", len(s.Prompts)-i)
				break
			}
			fmt.Fprintf(b, "    %s %s\n", t.Styled(term.Faint, "›"), cliui.ShortLine(work.Prompt, cliui.IntentRunes))
			if n := len(work.Files); n > 0 {
				var names []string
				for _, path := range work.Files[:min(n, hunksListed)] {
					names = append(names, quotedPath(path))
				}
				if n > hunksListed {
					names = append(names, fmt.Sprintf("… %d more", n-hunksListed))
				}
				did := fmt.Sprintf("+%d −%d in %s", work.Added, work.Removed, strings.Join(names, ", "))
				if width == 0 {
					fmt.Fprintf(b, "      %s\n", t.Styled(term.Faint, did))
					continue
				}
				w := reviewWriter{t: t, width: width}
				w.wrap(did, "      ", "      ", term.Faint)
				b.WriteString(w.String())
			}
		}
	}
}

// checksText returns a line for each limit: kept or broken.
func checksText(d *review.Document, t term.Terminal) string {
	var rows [][]term.Cell
	for _, c := range d.Checks {
		word, style := "ok", term.Good
		if !c.OK {
			word, style = "broken", term.Bad
		}
		rows = append(rows, []term.Cell{{Text: word, Style: func(s string) string { return t.Styled(style, s) }},
			{Text: fmt.Sprintf("%s=%v", c.Limit, c.Than)}, {Text: fmt.Sprintf("%.2f %% of %s", c.Found, cliui.Count(d.Totals.Added.Written(), "line"))}})
	}
	return term.Columns(slices.Clip(rows), 0)
}
