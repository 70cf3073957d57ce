package review

import (
	"fmt"
	"strings"
	"unicode"
)

// Limits of a comment: forges accept about 65,000 characters.
const (
	markdownFiles   = 60
	markdownPrompts = 8
	markdownHunks   = 6
	markdownPrompt  = 400 // runes of a prompt
	markdownMax     = 60_000
)

// Markdown returns the document as a comment for a pull request, with tables and folded lists. File
// names and prompts are escaped: they cannot act as Markdown or HTML or mention a user.
func (d *Document) Markdown() string {
	var b strings.Builder
	a := d.Totals.Added
	fmt.Fprintf(&b, "### Who wrote %s\n\n", code(d.Range.Name))
	fmt.Fprintf(&b, "%d commit%s, %d file%s, +%d −%d.", len(d.Commits), s(len(d.Commits)), d.Totals.Files, s(d.Totals.Files), a.Lines, d.Totals.Removed.Lines)
	if d.Totals.Usage != nil {
		fmt.Fprintf(&b, " %s tokens.", Thousands(d.Totals.Usage.Total()))
	}
	if a.Older > 0 {
		fmt.Fprintf(&b, " %d line%s only moved or re-indented, not counted.", a.Older, s(a.Older))
	}
	if d.Totals.Skipped > 0 {
		fmt.Fprintf(&b, " %d file%s skipped.", d.Totals.Skipped, s(d.Totals.Skipped))
	}
	b.WriteString("\n\n")
	if a.Written() > 0 {
		b.WriteString("| | share | lines |\n|---|---|---:|\n")
		for _, row := range []struct {
			name string
			n    int
		}{{"agent", a.Agent}, {"person", a.Human}, {"unknown", a.Unknown}} {
			fmt.Fprintf(&b, "| %s | `%s` %.1f %% | %d |\n", row.name, Bar(a.Share(row.n), 10), a.Share(row.n), row.n)
		}
		b.WriteString("\n")
	}
	d.markdownClaims(&b)
	d.markdownChecks(&b)
	d.markdownViolations(&b)
	if d.Groups != nil {
		markdownRows(&b, "By "+d.Groups.By, d.Groups.Rows)
	} else {
		markdownRows(&b, fmt.Sprintf("Files (%d)", len(d.Files)), d.fileRows())
	}
	d.markdownAgentOnly(&b)
	d.markdownSessions(&b, markdownMax)
	for _, p := range d.Problems {
		fmt.Fprintf(&b, "> %s\n\n", code(p))
	}
	return b.String()
}

func s(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// Bar draws a share of 100 in that many characters: empty only for 0, full only for 100.
func Bar(share float64, width int) string {
	n := int(share*float64(width)/100 + 0.5)
	if share > 0 {
		n = max(n, 1)
	}
	if share < 100 {
		n = min(n, width-1)
	}
	return strings.Repeat("█", n) + strings.Repeat("░", width-n)
}

func (d *Document) markdownChecks(b *strings.Builder) {
	for _, c := range d.Checks {
		word := "ok"
		if !c.OK {
			word = "**broken**"
		}
		fmt.Fprintf(b, "- `%s=%v`: %s (%.2f %%)\n", c.Limit, c.Than, word, c.Found)
	}
	if len(d.Checks) > 0 {
		b.WriteString("\n")
	}
}

func (d *Document) fileRows() []Row {
	var rows []Row
	for i := range d.Files {
		f := &d.Files[i]
		name := f.Path
		if f.OldPath != "" {
			name = f.OldPath + " → " + f.Path
		}
		rows = append(rows, Row{name, f.Added, f.Removed})
	}
	return rows
}

func markdownRows(b *strings.Builder, title string, rows []Row) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "<details><summary>%s</summary>\n\n| | + | − | agent | person | unknown |\n|---|---:|---:|---:|---:|---:|\n", title)
	for i, r := range rows {
		if i == markdownFiles && len(rows) > markdownFiles+1 || b.Len() > markdownMax/2 {
			fmt.Fprintf(b, "| … and %d more | | | | | |\n", len(rows)-i)
			break
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d |\n", code(r.Name), r.Added.Lines, r.Removed.Lines, r.Added.Agent, r.Added.Human, r.Added.Unknown)
	}
	b.WriteString("\n</details>\n\n")
}

func (d *Document) markdownAgentOnly(b *strings.Builder) {
	files, hunks := d.AgentOnly()
	if len(files)+len(hunks) == 0 {
		return
	}
	n := 0
	for _, list := range hunks {
		n += len(list)
	}
	fmt.Fprintf(b, "<details><summary>Touched only by agents: %d file%s, and %d hunk%s of others</summary>\n\n", len(files), s(len(files)), n, s(n))
	shown := 0
	more := func() bool { shown++; return shown <= markdownFiles && b.Len() < markdownMax*2/3 }
	for _, path := range files {
		if more() {
			fmt.Fprintf(b, "- %s\n", d.linkedFile(path))
		}
	}
	for i := range d.Files {
		if list := hunks[d.Files[i].Path]; len(list) > 0 && more() {
			fmt.Fprintf(b, "- %s\n", d.linkedHunks(d.Files[i].Path, list))
		}
	}
	if shown > markdownFiles {
		fmt.Fprintf(b, "- … and %d more\n", shown-markdownFiles)
	}
	b.WriteString("\n</details>\n\n")
}

// markdown describes the result of a prompt, or returns "" if it is not known.
func (w PromptResult) markdown() string {
	if len(w.Files) == 0 {
		return ""
	}
	var names []string
	for i, f := range w.Files {
		if i == markdownHunks && len(w.Files) > markdownHunks+1 {
			names = append(names, fmt.Sprintf("… and %d more", len(w.Files)-i))
			break
		}
		names = append(names, code(cut(f, pathRunes)))
	}
	return fmt.Sprintf(" +%d −%d in %s", w.Added, w.Removed, strings.Join(names, ", "))
}

func cut(text string, runes int) string {
	for i := range text {
		if runes--; runes < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// code formats untrusted text in one line as <code>. It escapes every character that means something
// to Markdown, HTML or a forge.
func code(text string) string {
	var b strings.Builder
	b.WriteString("<code>")
	var before rune
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case r == '\u200d' && before >= '\u2190': // it joins pictures into one, such as a family
			b.WriteRune(r)
		case !unicode.IsPrint(r):
			b.WriteRune('\uFFFD')
		case r > unicode.MaxASCII || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" ,;()+=-", r):
			b.WriteRune(r)
		case r == '/' || r == '.' && before|0x20 != 'w': // www. would begin a link
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
		before = r
	}
	b.WriteString("</code>")
	return b.String()
}
