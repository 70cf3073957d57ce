package review

import (
	"cmp"
	"entire/internal/pathtext"
	"slices"
	"strings"
)

// Builder makes a Document. Its zero value is ready.
type Builder struct {
	owners  map[Owner]int
	commits map[string]int
	doc     Document
}

// Line is an added or removed line.
type Line struct {
	Number int // from 1, in the new file or the old one
	Text   string
	Owner  Owner
	Commit string // an ID passed to Builder.Commit, or "" if not known
}

// Commit adds a commit, unless it was added before.
func (b *Builder) Commit(c Commit) {
	if b.commits == nil {
		b.commits = map[string]int{}
	}
	if _, there := b.commits[c.ID]; there || c.ID == "" {
		return
	}
	c.Author, c.Email, c.Subject = valid(c.Author), valid(c.Email), valid(c.Subject)
	if c.Claim != nil {
		c.Claim = &Claim{c.Claim.By, valid(c.Claim.Name), c.Claim.Agent}
	}
	b.commits[c.ID] = len(b.doc.Commits)
	b.doc.Commits = append(b.doc.Commits, c)
}

// File adds a file with its added and removed lines, both ordered by number. It uses only the paths,
// Skipped, Lines and OldLines of f. pathtext.Encode encodes the paths.
func (b *Builder) File(f File, added, removed []Line) {
	f.Path, f.OldPath = pathtext.Encode(f.Path), pathtext.Encode(f.OldPath)
	f.text, f.gone = map[int]string{}, map[int]string{}
	f.Ranges = b.rows(added, &f.Added, f.text)
	f.Gone = b.rows(removed, &f.Removed, f.gone)
	b.doc.Files = append(b.doc.Files, f)
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func (b *Builder) rows(lines []Line, t *Tally, text map[int]string) []Rows {
	out := []Rows{}
	var at Rows
	for i, l := range lines {
		t.add(l.Owner.Class, 1)
		text[l.Number] = l.Text
		if i == 0 || l.Owner != lines[i-1].Owner || l.Commit != lines[i-1].Commit {
			at.Owner, at.Commit = b.owner(l.Owner), b.commit(l.Commit)
		}
		at.Start, at.Count = l.Number, 1
		if k := len(out) - 1; k >= 0 && out[k].Owner == at.Owner && out[k].Commit == at.Commit && out[k].Start+out[k].Count == at.Start {
			out[k].Count++
			continue
		}
		out = append(out, at)
	}
	return out
}

func (b *Builder) owner(o Owner) int {
	switch o.Class {
	case Agent:
	case Older:
		o = Owner{Class: Older}
	case Human:
		o = Owner{Class: Human, Checkpoint: o.Checkpoint, Evidence: o.Evidence}
	default:
		o = Owner{Class: Unknown, Checkpoint: o.Checkpoint, Evidence: o.Evidence}
	}
	if b.owners == nil {
		b.owners = map[Owner]int{}
	}
	i, there := b.owners[o]
	if !there {
		i = len(b.doc.Owners)
		b.owners[o] = i
		b.doc.Owners = append(b.doc.Owners, o)
	}
	return i
}

func (b *Builder) commit(oid string) int {
	if i, there := b.commits[oid]; there {
		return i
	}
	return -1
}

// sessionNames returns the IDs of the sessions that added or removed lines so far, in order of appearance.
func (b *Builder) sessionNames() []string {
	var out []string
	for _, o := range b.doc.Owners {
		if o.Class == Agent && !slices.Contains(out, o.Session) {
			out = append(out, o.Session)
		}
	}
	return out
}

// PromptKeys returns, by session, the keys of the prompts that began the turns of the lines.
func (b *Builder) PromptKeys() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, o := range b.doc.Owners {
		if o.PromptKey == "" {
			continue
		}
		if out[o.Session] == nil {
			out[o.Session] = map[string]bool{}
		}
		out[o.Session][o.PromptKey] = true
	}
	return out
}

// Document returns the document. It computes the totals of the given sessions, adds sessions that own
// lines but are not given, and drops token usages that are not valid counts.
func (b *Builder) Document(r Range, sessions []Session) *Document {
	d := &b.doc
	d.Schema, d.Range, d.Sessions = schemaName, r, slices.Clone(sessions)
	d.Range.Name = valid(d.Range.Name)
	for i := range d.Sessions {
		if s := &d.Sessions[i]; s.Usage != nil && !validUsage(s.Usage, 3) {
			s.Usage = nil
		}
	}
	for _, sid := range b.sessionNames() {
		if !slices.ContainsFunc(d.Sessions, func(s Session) bool { return s.ID == sid }) {
			d.Sessions = append(d.Sessions, Session{ID: sid})
		}
	}
	slices.SortFunc(d.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	d.Owners, d.Commits, d.Files = notNil(d.Owners), notNil(d.Commits), notNil(d.Files)
	d.derive()
	d.setAgentsAndModels()
	slices.SortStableFunc(d.Sessions, func(a, b Session) int { return cmp.Or(b.Added-a.Added, b.Removed-a.Removed) })
	d.Sessions = notNil(d.Sessions)
	return d
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// derive computes every field that follows from the ranges and owners.
func (d *Document) derive() {
	d.Totals = Totals{Files: len(d.Files)}
	added, removed := map[string]int{}, map[string]int{}
	for i := range d.Files {
		f := &d.Files[i]
		f.Hunks = d.hunks(f)
		f.Class = class(f.Added, f.Removed)
		d.Totals.Added.sum(f.Added)
		d.Totals.Removed.sum(f.Removed)
		if f.Skipped {
			d.Totals.Skipped++
		}
		for _, g := range f.Ranges {
			added[d.Owners[g.Owner].Session] += g.Count
			if o := d.Owners[g.Owner]; o.Class == Unknown && o.Evidence == Claimed {
				d.Totals.Claimed += g.Count
			}
		}
		for _, g := range f.Gone {
			removed[d.Owners[g.Owner].Session] += g.Count
		}
	}
	d.Totals.AgentPercentage = rounded(d.Totals.Added.Share(d.Totals.Added.Agent))
	for i := range d.Sessions {
		s := &d.Sessions[i]
		s.Added, s.Removed = added[s.ID], removed[s.ID]
		if s.ID == "" {
			s.Added, s.Removed = d.countWithoutSession()
		}
		if s.Usage != nil {
			sum := *s.Usage
			if d.Totals.Usage != nil {
				sum = d.Totals.Usage.Add(*s.Usage)
			}
			d.Totals.Usage = &sum
		}
	}
}

// countWithoutSession counts the lines of agents whose session is not known.
func (d *Document) countWithoutSession() (added, removed int) {
	count := func(rows []Rows) (n int) {
		for _, g := range rows {
			if o := d.Owners[g.Owner]; o.Class == Agent && o.Session == "" {
				n += g.Count
			}
		}
		return n
	}
	for i := range d.Files {
		added += count(d.Files[i].Ranges)
		removed += count(d.Files[i].Gone)
	}
	return added, removed
}

// setAgentsAndModels sets the agent and models of the sessions from the owners of lines.
func (d *Document) setAgentsAndModels() {
	for i := range d.Sessions {
		s := &d.Sessions[i]
		for _, o := range d.Owners {
			if o.Class != Agent || o.Session != s.ID {
				continue
			}
			s.Agent = cmp.Or(s.Agent, o.Agent)
			if o.Model != "" && !slices.Contains(s.Models, o.Model) {
				s.Models = append(s.Models, o.Model)
			}
			if o.Checkpoint != "" && !slices.Contains(s.Checkpoints, o.Checkpoint) {
				s.Checkpoints = append(s.Checkpoints, o.Checkpoint)
			}
		}
	}
}

// rounded rounds x to two decimal places.
func rounded(x float64) float64 { return float64(int(x*100+0.5)) / 100 }
