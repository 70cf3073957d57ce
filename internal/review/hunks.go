package review

import "slices"

// hunks divides what a file's change adds and removes into stretches that no
// unchanged line interrupts. Where the lines of both versions do not come out
// even (a merge, or a record of another parent), what was removed has no known
// place, and the hunks are those of the added lines.
func (d *Document) hunks(f *File) []Hunk {
	out := []Hunk{}
	even := f.Lines-f.Added.Lines == f.OldLines-f.Removed.Lines
	gone := f.Gone
	if !even {
		gone = nil
	}
	added, removed := f.Ranges, gone
	shift := 0 // a line of the old file that stayed is that much further down in the new
	var t Tally
	flush := func(h *Hunk) {
		if h != nil {
			h.Class = class(t)
			out = append(out, *h)
		}
		t = Tally{}
	}
	var open *Hunk
	for len(added) > 0 || len(removed) > 0 {
		takeGone := len(removed) > 0 && (len(added) == 0 || removed[0].Start+shift <= added[0].Start)
		at := 0
		if takeGone {
			at = removed[0].Start + shift
		} else {
			at = added[0].Start
		}
		if open != nil && at > open.Start+open.Count {
			flush(open)
			open = nil
		}
		if open == nil {
			open = &Hunk{Start: at, OldStart: at - shift}
			if !even {
				open.OldStart = 0
			}
		}
		if takeGone {
			g := removed[0]
			t.add(d.Owners[g.Owner].Class, g.Count)
			open.Removed += g.Count
			shift -= g.Count
			removed = removed[1:]
			continue
		}
		g := added[0]
		t.add(d.Owners[g.Owner].Class, g.Count)
		open.Count += g.Count
		shift += g.Count
		added = added[1:]
	}
	flush(open)
	return out
}

// AgentOnly are the files that nobody but an agent has touched and, of all others,
// the hunks.
func (d *Document) AgentOnly() (files []string, hunks map[string][]Hunk) {
	hunks = map[string][]Hunk{}
	for i := range d.Files {
		f := &d.Files[i]
		if f.Class == Agent {
			files = append(files, f.Path)
			continue
		}
		for _, h := range f.Hunks {
			if h.Class == Agent {
				hunks[f.Path] = append(hunks[f.Path], h)
			}
		}
	}
	return files, hunks
}

// InHunk are the added rows and the removed ones that a hunk of the file is made
// of.
func (f *File) InHunk(h Hunk) (added, removed []Rows) {
	within := func(rows []Rows, start, count int) []Rows {
		return slices.DeleteFunc(slices.Clone(rows), func(g Rows) bool { return g.Start < start || g.Start+g.Count > start+count })
	}
	if h.OldStart > 0 {
		removed = within(f.Gone, h.OldStart, h.Removed)
	}
	return within(f.Ranges, h.Start, h.Count), removed
}
