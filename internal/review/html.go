package review

import (
	"cmp"
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"entire/internal/legible"
)

//go:embed page.html
var pageText string

// Limits of the page. Lines beyond them are counted but not shown.
const (
	hunkLines = 500
	pageLines = 20_000

	promptLines = 6 // of a prompt that is not folded
)

// HTML writes the document as a single page without scripts, fonts, images or network access. The page
// contains the text of the lines.
func (d *Document) HTML(w io.Writer) error {
	page, err := template.New("page").Funcs(template.FuncMap{
		"plural": s, "thousands": Thousands, "percent": func(x float64) string { return fmt.Sprintf("%.1f", x) },
		"width":  func(n int, t Tally) template.CSS { return template.CSS(fmt.Sprintf("width:%.2f%%", t.Share(n))) },
		"scaled": func(t Tally, most int) scaled { return scaled{t, most} }, "kinds": tokenKinds,
		"visible": visible, "long": func(text string) bool { return strings.Count(text, "\n") > promptLines || len(text) > promptLines*100 },
		"works": func(s Session) []PromptResult { return d.PromptResults(s) },
		"first": firstOf, "anchor": anchor,
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return page.Execute(w, d.Page())
}

// A Page is what pages show of a document: its shares, and each hunk with its lines and the prompts behind it.
type Page struct {
	*Document
	Bars     []PageBar
	Choices  []choice
	Files    []PageFile
	Lines    int // shown so far
	OnlyFile []string
	First    []PageItem // what to read first, for a document with an order

	MostInFile, MostInGroup int // the number of lines that a full bar stands for

	choice []int // by owner: index in Choices, or -1
}

// Title begins the page's heading.
func (p *Page) Title() string {
	if p.Order != nil {
		return "Review of"
	}
	return "Who wrote"
}

// A PageItem is an item of the order with its prompt and the anchors of its hunks.
type PageItem struct {
	Item
	Prompt string
	Places []PagePlace
}

// A PagePlace is a range of lines, and the anchor of its hunk; "" if the page does not show it.
type PagePlace struct{ Name, Anchor string }

// A PageBar is the share of a class of owners.
type PageBar struct {
	Class, Name string
	Lines       int
	Share       float64
}

// A PageFile is a file of a Page.
type PageFile struct {
	*File
	By    string // the CSS classes of its owners
	Hunks []PageHunk
}

// A PageHunk is a hunk of a Page: the removed lines, then the added ones, with unchanged ones around them.
type PageHunk struct {
	Hunk
	By      string
	Lines   []PageLine
	Left    int // number of lines not shown
	Who     string
	Prompts []string // the prompts that led to the lines, if known
}

// A PageLine is a line of a Page. Its sign is "+", "−" or " ".
type PageLine struct {
	Sign, Class, By, Number, Text, Who string
}

// Kind returns the CSS class of the line's row.
func (l PageLine) Kind() string {
	switch l.Sign {
	case "+":
		return "add"
	case "−":
		return "del"
	}
	return "near"
}

// Page returns what pages show of the document. AddContext adds the unchanged lines around each hunk.
func (d *Document) Page() *Page {
	p := &Page{Document: d}
	a := d.Totals.Added
	p.Bars = []PageBar{{Agent, "agent", a.Agent, a.Share(a.Agent)}, {Human, "person", a.Human, a.Share(a.Human)}, {Unknown, "unknown", a.Unknown, a.Share(a.Unknown)}}
	p.Choices, p.choice = d.choices()
	for i := range d.Files {
		f := PageFile{File: &d.Files[i], By: p.by(slices.Concat(d.Files[i].Ranges, d.Files[i].Gone))}
		for k := range d.Files[i].Hunks {
			f.Hunks = append(f.Hunks, p.hunk(&d.Files[i], k))
		}
		p.MostInFile = max(p.MostInFile, f.Added.Written())
		p.Files = append(p.Files, f)
	}
	if d.Groups != nil {
		for _, r := range d.Groups.Rows {
			p.MostInGroup = max(p.MostInGroup, r.Added.Written())
		}
	}
	p.OnlyFile, _ = d.AgentOnly()
	for _, it := range d.Order[:min(len(d.Order), itemsOnPage)] {
		p.First = append(p.First, d.pageItem(it))
	}
	return p
}

// itemsOnPage is the most items that a page lists.
const itemsOnPage = 500

// pageItem returns an item with links to its hunks.
func (d *Document) pageItem(it Item) PageItem {
	out := PageItem{Item: it, Prompt: d.PromptLine(it.Session, it.Prompt)}
	for i := range d.Files {
		if d.Files[i].Path != it.Path {
			continue
		}
		at := map[Stretch]int{}
		for k, h := range d.Files[i].Hunks {
			at[Stretch{h.Start, h.Count}] = k
		}
		for _, l := range it.Lines {
			place := PagePlace{Name: l.Name()}
			if k, there := at[l]; there {
				place.Anchor = anchor(i, k)
			}
			out.Places = append(out.Places, place)
		}
	}
	return out
}

// anchor names a hunk of a file on the page.
func anchor(file, hunk int) string { return fmt.Sprintf("f%dh%d", file, hunk) }

// by returns the CSS classes that let the page show one owner's lines alone.
func (p *Page) by(rows []Rows) string {
	var ids []string
	for _, r := range rows {
		if i := p.choice[r.Owner]; i >= 0 && !slices.Contains(ids, p.Choices[i].ID) {
			ids = append(ids, p.Choices[i].ID)
		}
	}
	return strings.Join(ids, " ")
}

// hunk returns what the page shows for hunk k: the removed lines, then the added ones, with the
// unchanged lines around them.
func (p *Page) hunk(f *File, k int) PageHunk {
	h := f.Hunks[k]
	added, removed := f.InHunk(h)
	out := PageHunk{Hunk: h, By: p.by(slices.Concat(added, removed))}
	p.near(&out, f, f.above(k))
	p.changed(&out, removed, "−", f.removedText)
	p.changed(&out, added, "+", f.addedText)
	p.near(&out, f, f.below(k))
	return out
}

// near adds unchanged lines.
func (p *Page) near(out *PageHunk, f *File, numbers []int) {
	for _, n := range numbers {
		if p.Lines < pageLines {
			p.Lines++
			out.Lines = append(out.Lines, PageLine{Sign: " ", Number: fmt.Sprint(n), Text: visible(f.context[n])})
		}
	}
}

// changed adds lines that were added or removed.
func (p *Page) changed(out *PageHunk, rows []Rows, sign string, text func(int) string) {
	for _, g := range rows {
		o := p.Owners[g.Owner]
		who, by := o.label(), p.by([]Rows{g})
		if prompt := p.promptOf(o); prompt != "" && !slices.Contains(out.Prompts, prompt) {
			out.Prompts = append(out.Prompts, prompt)
		}
		if !slices.Contains(strings.Split(out.Who, ", "), who) {
			out.Who = strings.TrimPrefix(out.Who+", "+who, ", ")
		}
		for n := g.Start; n < g.Start+g.Count; n++ {
			if len(out.Lines) >= hunkLines || p.Lines >= pageLines {
				out.Left += g.Start + g.Count - n
				break
			}
			p.Lines++
			out.Lines = append(out.Lines, PageLine{sign, o.Class, by, fmt.Sprint(n), visible(text(n)), who})
		}
	}
}

// firstOf returns the first line of text.
func firstOf(text string) string {
	line, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if short := cut(line, 120); short != line || more == "" {
		return short
	}
	return line + " …"
}

// label describes an owner in a few words.
func (o Owner) label() string {
	if o.Class != Agent || o.Turn == 0 {
		return o.name()
	}
	return o.name() + fmt.Sprintf(" #%d", o.Turn)
}

// name names a person, or an agent with its session.
func (o Owner) name() string {
	switch o.Class {
	case Human:
		return "person"
	case Unknown:
		return "unknown"
	case Older:
		return "only moved or re-indented"
	}
	name := cmp.Or(o.Agent, "agent")
	if o.Session != "" {
		name += " " + o.Session[:min(12, len(o.Session))]
	}
	return name
}

// visible escapes the invisible characters of untrusted text.
func visible(text string) string { return legible.Text(text) }
