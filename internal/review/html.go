package review

import (
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

// Bounds of the page: beyond them lines are counted, not shown.
const (
	hunkLines = 500
	pageLines = 20_000

	promptLines = 6 // of a prompt that is not folded
)

// HTML writes the document as one page that needs nothing else: no script, no
// font, no picture, no network. The texts of the lines are in it.
func (d *Document) HTML(w io.Writer) error {
	page, err := template.New("page").Funcs(template.FuncMap{
		"plural": s, "thousands": Thousands, "percent": func(x float64) string { return fmt.Sprintf("%.1f", x) },
		"width":   func(n int, t Tally) template.CSS { return template.CSS(fmt.Sprintf("width:%.2f%%", t.Share(n))) },
		"visible": visible, "long": func(text string) bool { return strings.Count(text, "\n") > promptLines || len(text) > promptLines*100 },
		"works": func(s Session) []Work { return d.Works(s) },
		"first": firstOf,
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return page.Execute(w, d.pageOf())
}

type page struct {
	*Document
	Bars     []pageBar
	Files    []pageFile
	Lines    int // shown so far
	OnlyFile []string
}

type pageBar struct {
	Class, Name string
	Lines       int
	Share       float64
}

type pageFile struct {
	*File
	Hunks []pageHunk
}

type pageHunk struct {
	Hunk
	Lines   []pageLine
	Left    int // lines that are not shown
	Who     string
	Prompts []string // behind it, where they are known
}

type pageLine struct {
	Sign, Class, Number, Text, Who string
}

func (d *Document) pageOf() *page {
	p := &page{Document: d}
	a := d.Totals.Added
	p.Bars = []pageBar{{Agent, "agent", a.Agent, a.Share(a.Agent)}, {Human, "person", a.Human, a.Share(a.Human)}, {Unknown, "unknown", a.Unknown, a.Share(a.Unknown)}}
	for i := range d.Files {
		f := pageFile{File: &d.Files[i]}
		for _, h := range d.Files[i].Hunks {
			f.Hunks = append(f.Hunks, p.hunk(&d.Files[i], h))
		}
		p.Files = append(p.Files, f)
	}
	p.OnlyFile, _ = d.AgentOnly()
	return p
}

// hunk is what is shown of a hunk: what was removed above what was added.
func (p *page) hunk(f *File, h Hunk) pageHunk {
	out := pageHunk{Hunk: h}
	added, removed := f.InHunk(h)
	whos := map[string]bool{}
	put := func(rows []Rows, sign string, text func(int) string) {
		for _, g := range rows {
			o := p.Owners[g.Owner]
			who := o.who()
			if prompt := p.PromptOf(o); prompt != "" && !slices.Contains(out.Prompts, prompt) {
				out.Prompts = append(out.Prompts, prompt)
			}
			if !whos[who] {
				whos[who] = true
				out.Who = strings.TrimPrefix(out.Who+", "+who, ", ")
			}
			for n := g.Start; n < g.Start+g.Count; n++ {
				if len(out.Lines) >= hunkLines || p.Lines >= pageLines {
					out.Left += g.Start + g.Count - n
					break
				}
				p.Lines++
				out.Lines = append(out.Lines, pageLine{sign, o.Class, fmt.Sprint(n), visible(text(n)), who})
			}
		}
	}
	put(removed, "−", f.RemovedText)
	put(added, "+", f.AddedText)
	return out
}

// firstOf is the beginning of a text, in one line.
func firstOf(text string) string {
	line, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if short := cut(line, 120); short != line || more == "" {
		return short
	}
	return line + " …"
}

// who names an owner in a few words.
func (o Owner) who() string {
	switch o.Class {
	case Human:
		return "person"
	case Unknown:
		return "unknown"
	case Older:
		return "only moved or re-indented"
	}
	name := o.Agent
	if name == "" {
		name = "agent"
	}
	if o.Session != "" {
		name += " " + o.Session[:min(12, len(o.Session))]
	}
	if o.Turn > 0 {
		name += fmt.Sprintf(" #%d", o.Turn)
	}
	return name
}

// visible is foreign text with an escape in the place of whatever is not seen.
func visible(text string) string { return legible.Text(text) }
