package review

import (
	"entire/internal/pathtext"
	"fmt"
	"strings"
)

// Limits of a review as a comment. Forges accept 65,536 characters; commentMax is in bytes.
const (
	commentMax = 65_000

	itemsOpen    = 8    // of the highest level that are not folded
	itemStretch  = 4    // ranges of lines of an item
	itemPrompt   = 200  // runes of a prompt beside an item
	linkMax      = 1000 // bytes
	undoneListed = 15
	undonePrompt = 100 // runes
	pathRunes    = 300
)

// CommentMark begins every comment with a review, so that the next one replaces it. GitHub and GitLab do not
// show it.
const CommentMark = "<!-- entire:review -->"

// ReviewMarkdown returns the document's order as a comment for a pull request: at most 65,000 bytes.
// Texts of others are escaped as in Markdown.
func (d *Document) ReviewMarkdown() string {
	var b strings.Builder
	b.WriteString(CommentMark + "\n")
	fmt.Fprintf(&b, "### Review of %s\n\n", code(cut(d.Range.ShortName(), pathRunes)))
	b.WriteString(d.markdownSummary())
	d.markdownChecks(&b)
	d.markdownViolations(&b)
	d.markdownClaims(&b)
	for _, p := range d.Problems[:min(len(d.Problems), 5)] {
		fmt.Fprintf(&b, "> %s\n\n", code(cut(p, 500)))
	}
	d.markdownOrder(&b, commentMax*2/3)
	d.markdownUndone(&b, commentMax*3/4)
	d.markdownSessions(&b, commentMax*7/8)
	d.markdownFileTable(&b, commentMax-1500)
	b.WriteString("<sub>`entire review` shows all of it in a terminal, `entire review --html` with the lines.</sub>\n")
	return b.String()
}

// markdownSummary returns the figures of the change in a few lines.
func (d *Document) markdownSummary() string {
	var b strings.Builder
	a := d.Totals.Added
	fmt.Fprintf(&b, "%d commit%s, %d file%s, +%d −%d.", len(d.Commits), s(len(d.Commits)), d.Totals.Files, s(d.Totals.Files), a.Lines, d.Totals.Removed.Lines)
	if a.Written() > 0 {
		fmt.Fprintf(&b, " Agents wrote %.0f %% of the new lines, people %.0f %%", a.Share(a.Agent), a.Share(a.Human))
		if a.Unknown > 0 {
			fmt.Fprintf(&b, "; %.0f %% are of unknown authors", a.Share(a.Unknown))
		}
		b.WriteString(".")
	}
	if a.Older > 0 {
		fmt.Fprintf(&b, " %d line%s only moved or re-indented.", a.Older, s(a.Older))
	}
	if d.Totals.Skipped > 0 {
		fmt.Fprintf(&b, " %d file%s skipped (binary, a submodule or too large).", d.Totals.Skipped, s(d.Totals.Skipped))
	}
	return b.String() + "\n\n"
}

func (d *Document) markdownClaims(b *strings.Builder) {
	for i, line := range d.ClaimLines() {
		if i == 0 {
			b.WriteString(line + "\n\n")
		} else {
			b.WriteString("- " + code(cut(line, itemPrompt)) + "\n")
		}
	}
	if d.Totals.Claimed > 0 {
		b.WriteString("\n")
	}
}

// markdownOrder writes the items, the first of the highest level unfolded.
func (d *Document) markdownOrder(b *strings.Builder, end int) {
	if len(d.Order) == 0 {
		b.WriteString("Nothing to read first: people wrote all of it.\n\n")
		return
	}
	of := map[string][]Item{}
	for _, it := range d.Order {
		of[it.Level()] = append(of[it.Level()], it)
	}
	number, open := 1, true
	for _, level := range Levels() {
		list := of[level]
		if len(list) == 0 {
			continue
		}
		first := list
		if !open {
			first = nil
		} else if len(list) > itemsOpen+1 {
			first = list[:itemsOpen]
		}
		open = false
		if len(first) > 0 {
			fmt.Fprintf(b, "**Read first** (%s risk, %d place%s)\n\n", level, len(list), s(len(list)))
			n := d.markdownItems(b, first, number, end)
			number += n
			b.WriteString("\n")
		}
		if rest := list[len(first):]; len(rest) > 0 {
			more := ""
			if len(first) > 0 {
				more = " more"
			}
			fmt.Fprintf(b, "<details><summary>%d%s place%s of %s risk</summary>\n\n", len(rest), more, s(len(rest)), level)
			number += d.markdownItems(b, rest, number, end)
			b.WriteString("\n</details>\n\n")
		}
	}
}

// markdownItems writes items as a numbered list and returns how many it wrote.
func (d *Document) markdownItems(b *strings.Builder, list []Item, number, end int) int {
	for i, it := range list {
		text := d.markdownItem(it, number+i, i > 0 && list[i-1].SamePrompt(it))
		if b.Len()+len(text) > end {
			fmt.Fprintf(b, "\n… and %d more\n", len(list)-i)
			return i
		}
		b.WriteString(text)
	}
	return len(list)
}

// markdownItem returns an item of the list; again says that the one before has the same prompt.
func (d *Document) markdownItem(it Item, number int, again bool) string {
	var b strings.Builder
	lead := fmt.Sprintf("%d. ", number)
	inner := strings.Repeat(" ", len(lead)) + "- " // a list inside of a list stands below its text
	fmt.Fprintf(&b, "%s%s +%d −%d", lead, d.linkedLines(it), it.Added, it.Removed)
	if who := it.Who(); who != "" {
		b.WriteString(" by " + code(cut(who, itemPrompt)))
	}
	for i, c := range it.Commits {
		if i == 3 {
			b.WriteString(", …")
			break
		}
		word := ", "
		if i == 0 {
			word = " in "
		}
		b.WriteString(word + d.linkedCommit(d.Commits[c].ID))
	}
	b.WriteString("\n")
	if prompt := d.PromptLine(it.Session, it.Prompt); again {
		b.WriteString(inner + "› the same prompt\n")
	} else if prompt != "" {
		fmt.Fprintf(&b, inner+"› %s\n", code(cut(prompt, itemPrompt)))
	}
	var why []string
	for _, r := range it.Reasons {
		text := r.Text
		if r.Quote != "" {
			text += ": " + code(cut(r.Quote, itemPrompt))
		}
		why = append(why, text)
	}
	if len(why) > 0 {
		fmt.Fprintf(&b, inner+"%s\n", strings.Join(why, "; "))
	}
	return b.String()
}

// Who names the agent and the model of an item, "" if no agent is known. It is not safe to show.
func (i Item) Who() string {
	if i.Model == "" || i.Agent == "" {
		return i.Agent + i.Model
	}
	return i.Agent + " (" + i.Model + ")"
}

// linkedFile returns a file's path, as a link if the forge is known.
func (d *Document) linkedFile(path string) string {
	return d.linked(code(path), path, Stretch{Start: 1})
}

// linkedHunks returns a file's path with hunks, as links if the forge is known.
func (d *Document) linkedHunks(path string, hunks []Hunk) string {
	var names []string
	for i, h := range hunks {
		if i == markdownHunks && len(hunks) > markdownHunks+1 {
			names = append(names, fmt.Sprintf("… %d more", len(hunks)-i))
			break
		}
		names = append(names, d.linked(h.Name(), path, Stretch{h.Start, h.Count}))
	}
	return code(path) + ": " + strings.Join(names, ", ")
}

// linked returns text as a link to lines of a file, or as it is if the forge is not known.
func (d *Document) linked(text, path string, at Stretch) string {
	if d.Place.LineLink != nil {
		if url := d.Place.LineLink(pathtext.Decode(path), at); url != "" && len(url) <= linkMax {
			return "[" + text + "](" + url + ")"
		}
	}
	return text
}

// linkedLines returns the item's file with its lines, each range a link if the forge is known.
func (d *Document) linkedLines(it Item) string {
	link := func(text string, at Stretch) string { return d.linked(text, it.Path, at) }
	out := link(code(cut(it.Path, pathRunes)+":"+it.Lines[0].Name()), it.Lines[0])
	for i, at := range it.Lines[1:] {
		if i+1 == itemStretch && len(it.Lines) > itemStretch+1 {
			return out + fmt.Sprintf(", … (%d more)", len(it.Lines)-1-i)
		}
		out += ", " + link(code(at.Name()), at)
	}
	return out
}

// Name returns the numbers of the lines; the line before which lines were removed, if there are none.
func (s Stretch) Name() string {
	return Hunk{Start: s.Start, Count: s.Count}.Name()
}

func (d *Document) linkedCommit(id string) string {
	if d.Place.CommitLink != nil {
		if url := d.Place.CommitLink(id); url != "" {
			return "[`" + id[:7] + "`](" + url + ")"
		}
	}
	return "`" + id[:7] + "`"
}

func (d *Document) markdownUndone(b *strings.Builder, end int) {
	if len(d.Undone) == 0 {
		return
	}
	fmt.Fprintf(b, "<details><summary>Tried and undone: %d place%s</summary>\n\n", len(d.Undone), s(len(d.Undone)))
	for i, u := range d.Undone {
		text := "- " + code(cut(u.Path, pathRunes)) + ": " + u.Words()
		if prompt := d.PromptLine(u.Session, u.Prompt); prompt != "" {
			text += ", for › " + code(cut(prompt, undonePrompt))
		}
		if prompt := d.PromptLine(u.Session, u.By); prompt != "" && u.By != u.Prompt {
			text += ", undone for › " + code(cut(prompt, undonePrompt))
		}
		if i == undoneListed && len(d.Undone) > undoneListed+1 || b.Len()+len(text) > end {
			fmt.Fprintf(b, "- … and %d more\n", len(d.Undone)-i)
			break
		}
		b.WriteString(text + "\n")
	}
	b.WriteString("\n</details>\n\n")
}

// Words says what became of the lines.
func (u Undone) Words() string {
	text := fmt.Sprintf("%d line%s that the change does not have", u.Lines, s(u.Lines))
	switch {
	case u.Rewind != "":
		return fmt.Sprintf("%d line%s that the rewind %s took back", u.Lines, s(u.Lines), u.Rewind[:min(7, len(u.Rewind))])
	case u.Gone:
		return text + "; nor does it have the file"
	case u.By == 0:
		return text + "; no edit of the agent took them out"
	}
	return text
}

// markdownSessions writes the sessions with their prompts, models and tokens by kind.
func (d *Document) markdownSessions(b *strings.Builder, end int) {
	if len(d.Sessions) == 0 {
		return
	}
	title := fmt.Sprintf("The prompts of %d session%s", len(d.Sessions), s(len(d.Sessions)))
	if d.Totals.Usage != nil {
		title += fmt.Sprintf(", %s tokens", Thousands(d.Totals.Usage.Total()))
	}
	fmt.Fprintf(b, "<details><summary>%s</summary>\n\n", title)
	for i, one := range d.Sessions {
		text := d.markdownSession(one)
		if b.Len()+len(text) > end {
			fmt.Fprintf(b, "… and %d more sessions\n", len(d.Sessions)-i)
			break
		}
		b.WriteString(text)
	}
	b.WriteString("</details>\n\n")
}

func (d *Document) markdownSession(one Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", code(cut(one.Agent, 60)), code(cut(one.ID, 60)))
	for i, m := range one.Models {
		if i == 5 {
			break
		}
		b.WriteString(", " + code(cut(m, 60)))
	}
	fmt.Fprintf(&b, ": +%d −%d", one.Added, one.Removed)
	if one.Usage != nil {
		var kinds []string
		for _, k := range tokenKinds(*one.Usage) {
			if k.Count > 0 {
				kinds = append(kinds, Thousands(k.Count)+" "+k.Name)
			}
		}
		fmt.Fprintf(&b, "; %s tokens (%s)", Thousands(one.Usage.Total()), strings.Join(kinds, ", "))
	}
	if c := one.Counted; c != nil {
		fmt.Fprintf(&b, " (%d of %d lines by its checkpoints' own count)", c.AgentLines, c.TotalCommitted)
	}
	b.WriteString("\n\n")
	for k, w := range d.PromptResults(one) {
		if k == markdownPrompts && len(one.Prompts) > markdownPrompts+1 {
			fmt.Fprintf(&b, "- … and %d more\n", len(one.Prompts)-k)
			break
		}
		fmt.Fprintf(&b, "- %s%s\n", code(cut(strings.Join(strings.Fields(w.Prompt), " "), markdownPrompt)), w.markdown())
	}
	return b.String() + "\n"
}

// markdownFileTable writes the table of files as far as there is room.
func (d *Document) markdownFileTable(b *strings.Builder, end int) {
	rows := d.fileRows()
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "<details><summary>Files (%d)</summary>\n\n| | + | − | agent | person | unknown |\n|---|---:|---:|---:|---:|---:|\n", len(rows))
	for i, r := range rows {
		row := fmt.Sprintf("| %s | %d | %d | %d | %d | %d |\n", code(cut(r.Name, pathRunes)), r.Added.Lines, r.Removed.Lines, r.Added.Agent, r.Added.Human, r.Added.Unknown)
		if i == markdownFiles && len(rows) > markdownFiles+1 || b.Len()+len(row) > end {
			fmt.Fprintf(b, "| … and %d more | | | | | |\n", len(rows)-i)
			break
		}
		b.WriteString(row)
	}
	b.WriteString("\n</details>\n\n")
}
