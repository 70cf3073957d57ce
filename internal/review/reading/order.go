package reading

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"entire/internal/review"
)

// Order sets the document's Order: the pieces of the change that agents wrote, or whose author is unknown,
// with the riskiest first. Pieces that only people wrote are not in it.
func Order(d *review.Document) {
	c := newChange(d)
	var pieces []piece
	at := map[string]int{}
	for i := range d.Files {
		f := &d.Files[i]
		for _, h := range f.Hunks {
			if !slices.Contains([]string{review.Agent, review.Unknown, review.Mixed}, h.Class) {
				continue
			}
			one := c.piece(f, h)
			key := one.key()
			if k, there := at[key]; there {
				pieces[k].join(one)
				continue
			}
			at[key] = len(pieces)
			pieces = append(pieces, one)
		}
	}
	var out []review.Item
	for i := range pieces {
		it := &pieces[i].Item
		it.Reasons = c.reasons(&pieces[i])
		for _, r := range it.Reasons {
			it.Risk += r.Points
		}
		out = append(out, *it)
	}
	slices.SortStableFunc(out, func(a, b review.Item) int {
		return cmp.Or(b.Risk-a.Risk, (b.Added+b.Removed)-(a.Added+a.Removed), cmp.Compare(a.Path, b.Path), a.Lines[0].Start-b.Lines[0].Start)
	})
	d.Order = out
}

// A piece is an item that is being made.
type piece struct {
	review.Item
	evidence string // of its first lines
	agents   int    // its added and removed lines that agents wrote or removed
}

// piece returns a hunk without reasons. It is named after the agent with most of its lines.
func (c *change) piece(f *review.File, h review.Hunk) piece {
	it := piece{Item: review.Item{Path: f.Path, Lines: []review.Stretch{{Start: h.Start, Count: h.Count}}, Added: h.Count, Removed: h.Removed, Class: h.Class, Commits: []int{}}}
	added, removed := f.InHunk(h)
	count := map[int]int{}
	var owners []int
	for i, g := range slices.Concat(added, removed) {
		if i == 0 {
			it.evidence = c.d.Owners[g.Owner].Evidence
		}
		if g.Commit >= 0 && !slices.Contains(it.Commits, g.Commit) {
			it.Commits = append(it.Commits, g.Commit)
		}
		if c.d.Owners[g.Owner].Class == review.Agent {
			if count[g.Owner] == 0 {
				owners = append(owners, g.Owner)
			}
			count[g.Owner] += g.Count
			it.agents += g.Count
		}
	}
	if len(owners) == 0 {
		return it
	}
	most := slices.MaxFunc(owners, func(a, b int) int { return cmp.Or(count[a]-count[b], b-a) })
	o := c.d.Owners[most]
	it.Session, it.Agent, it.Model, it.Prompt = o.Session, o.Agent, o.Model, o.Prompt
	return it
}

// key returns what hunks of one item have in common.
func (p *piece) key() string {
	parts := []string{p.Path, p.Class, p.Session, p.Agent, p.Model, fmt.Sprint(p.Prompt)}
	if p.Session == "" {
		parts = append(parts, p.evidence, fmt.Sprint(p.Commits))
	}
	return strings.Join(parts, "\x00")
}

// join adds a later hunk.
func (p *piece) join(later piece) {
	p.Lines = append(p.Lines, later.Lines...)
	p.Added, p.Removed, p.agents = p.Added+later.Added, p.Removed+later.Removed, p.agents+later.agents
	for _, c := range later.Commits {
		if !slices.Contains(p.Commits, c) {
			p.Commits = append(p.Commits, c)
		}
	}
}
