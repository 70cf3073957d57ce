package attribution

import (
	"cmp"
	"slices"
)

// Builder builds a record, file by file. Its zero value is ready for use.
type Builder struct {
	record Record
	known  map[RecordOwner]int
}

// owner returns the index of an owner in the record's list, and adds the owner if needed.
func (b *Builder) owner(o RecordOwner) int {
	if n, ok := b.known[o]; ok {
		return n
	}
	if b.known == nil {
		b.known = map[RecordOwner]int{}
	}
	n := len(b.record.Owners)
	b.known[o] = n
	b.record.Owners = append(b.record.Owners, o)
	return n
}

// RecordLine is one line for Add: its owner, and the flags of [Line].
type RecordLine struct {
	Owner                  RecordOwner
	Added, Moved, Modified bool
}

// RecordRemoval is one removed line for Add; Line counts from 0.
type RecordRemoval struct {
	Line     int
	Owner    RecordOwner
	Replaced bool
}

// Add adds a file to the record. f gives its path and blob; lines and prints have one
// element for each line of its text. Files may be added in any order, each once.
func (b *Builder) Add(f RecordFile, prints Prints, lines []RecordLine, removed []RecordRemoval) {
	f.Lines, f.Ranges, f.Removed = len(lines), nil, nil
	for i, l := range lines {
		if !l.Added {
			continue
		}
		g := Range{Start: i + 1, Count: 1, Owner: b.owner(l.Owner), Moved: l.Moved, Modified: l.Modified}
		if n := len(f.Ranges); n > 0 {
			last := &f.Ranges[n-1]
			if last.Start+last.Count == g.Start && last.Owner == g.Owner && last.Moved == g.Moved && last.Modified == g.Modified {
				last.Count++
				last.Prints = prints[last.Start-1 : i+1]
				continue
			}
		}
		g.Prints = prints[i : i+1]
		f.Ranges = append(f.Ranges, g)
	}
	for _, l := range removed {
		g := RemovedRange{Line: l.Line + 1, Count: 1, Owner: b.owner(l.Owner), Replaced: l.Replaced}
		if n := len(f.Removed); n > 0 {
			last := &f.Removed[n-1]
			if last.Line+last.Count == g.Line && last.Owner == g.Owner && last.Replaced == g.Replaced {
				last.Count++
				continue
			}
		}
		f.Removed = append(f.Removed, g)
	}
	b.record.Files = append(b.record.Files, f)
}

// Record returns the record; nil if it has no file.
func (b *Builder) Record() *Record {
	if len(b.record.Files) == 0 {
		return nil
	}
	r := &b.record
	r.Version = recordVersion
	slices.SortFunc(r.Files, func(x, y RecordFile) int { return cmp.Compare(x.Path, y.Path) })
	return r
}

// Tally is the total of one owner in a record.
type Tally struct {
	Added    int // lines
	Modified int // those of Added that replaced others
	Removed  int // lines of the parent
	Deleted  int // those of Removed that no line replaced
}

// Tallies returns the totals of a record by owner index. Their sums equal git's counts.
func (r *Record) Tallies() []Tally {
	out := make([]Tally, len(r.Owners))
	for i := range r.Files {
		r.Files[i].tally(out)
	}
	return out
}

func (f *RecordFile) tally(out []Tally) {
	for _, g := range f.Ranges {
		t := &out[g.Owner]
		t.Added += g.Count
		if g.Modified {
			t.Modified += g.Count
		}
	}
	for _, g := range f.Removed {
		t := &out[g.Owner]
		t.Removed += g.Count
		if !g.Replaced {
			t.Deleted += g.Count
		}
	}
}

// AddFile adds a file of another record to this one, unchanged.
func (b *Builder) AddFile(from *Record, f *RecordFile) {
	own := *f
	own.Ranges, own.Removed = slices.Clone(f.Ranges), slices.Clone(f.Removed)
	for i := range own.Ranges {
		own.Ranges[i].Owner = b.owner(from.Owners[f.Ranges[i].Owner])
	}
	for i := range own.Removed {
		own.Removed[i].Owner = b.owner(from.Owners[f.Removed[i].Owner])
	}
	b.record.Files = append(b.record.Files, own)
}

// AddRefined is AddFile, but refine chooses the owner of each line, counted from 1, that was not
// only moved.
func (b *Builder) AddRefined(from *Record, f *RecordFile, refine func(line int, o RecordOwner, p Print) RecordOwner) {
	lines, prints := make([]RecordLine, f.Lines), make(Prints, f.Lines)
	for _, g := range f.Ranges {
		for k := range g.Count {
			n, owner := g.Start-1+k, from.Owners[g.Owner]
			if !g.Moved {
				owner = refine(n+1, owner, g.Prints[k])
			}
			prints[n] = g.Prints[k]
			lines[n] = RecordLine{Owner: owner, Added: true, Moved: g.Moved, Modified: g.Modified}
		}
	}
	var removed []RecordRemoval
	for _, g := range f.Removed {
		for k := range g.Count {
			removed = append(removed, RecordRemoval{Line: g.Line - 1 + k, Owner: from.Owners[g.Owner], Replaced: g.Replaced})
		}
	}
	b.Add(RecordFile{Path: f.Path, Blob: f.Blob, Dropped: f.Dropped}, prints, lines, removed)
}
