package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Groups are the lines of a document, grouped.
type Groups struct {
	By   string `json:"by"`
	Rows []Row  `json:"rows"` // the largest first
}

// Row is one group. Names in parentheses stand for lines without a name: (people), (unknown), (older).
type Row struct {
	Name    string `json:"name"`
	Added   Tally  `json:"added"`
	Removed Tally  `json:"removed"`
}

// Axes returns the values that Group accepts.
func Axes() []string { return []string{"file", "author", "session", "agent", "model"} }

// Group groups the lines by one of Axes.
func (d *Document) Group(by string) error {
	if !slices.Contains(Axes(), by) {
		return fmt.Errorf("nothing to group by: %q is none of %s", by, strings.Join(Axes(), ", "))
	}
	d.Groups = d.group(by)
	return nil
}

func (d *Document) group(by string) *Groups {
	at := map[string]int{}
	g := &Groups{By: by, Rows: []Row{}}
	row := func(f *File, r Rows) *Row {
		name := d.nameOf(by, f, r)
		i, there := at[name]
		if !there {
			i = len(g.Rows)
			at[name] = i
			g.Rows = append(g.Rows, Row{Name: name})
		}
		return &g.Rows[i]
	}
	for i := range d.Files {
		f := &d.Files[i]
		for _, r := range f.Ranges {
			row(f, r).Added.add(d.Owners[r.Owner].Class, r.Count)
		}
		for _, r := range f.Gone {
			row(f, r).Removed.add(d.Owners[r.Owner].Class, r.Count)
		}
	}
	slices.SortStableFunc(g.Rows, func(a, b Row) int {
		return cmp.Or(b.Added.Lines-a.Added.Lines, b.Removed.Lines-a.Removed.Lines, cmp.Compare(a.Name, b.Name))
	})
	return g
}

// nameOf returns the group of r. By author, an agent's lines belong to the author of the commit that
// added them.
func (d *Document) nameOf(by string, f *File, r Rows) string {
	o := d.Owners[r.Owner]
	switch {
	case by == "file":
		return f.Path
	case o.Class == Older:
		return "(older)"
	case by == "author":
		if r.Commit < 0 {
			return "(unknown)"
		}
		c := d.Commits[r.Commit]
		return cmp.Or(c.Author, c.Email, "(unknown)")
	case o.Class == Human:
		return "(people)"
	case o.Class == Unknown:
		return "(unknown)"
	}
	switch by {
	case "session":
		return cmp.Or(o.Session, "(unknown)")
	case "agent":
		return cmp.Or(o.Agent, "(unknown)")
	}
	return cmp.Or(o.Model, "(unknown)")
}
