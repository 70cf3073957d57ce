package review

import "slices"

// hunks divides a file's change into stretches without unchanged lines between. If the line counts of
// the two versions do not match (a merge, or a record against another parent), removed lines cannot be
// placed, and the hunks contain only added lines.
func (d *Document) hunks(f *File) []Hunk {
	out := []Hunk{}
	even := f.Lines-f.Added.Lines == f.OldLines-f.Removed.Lines
	gone := f.Gone
	if !even {
		gone = nil
	}
	added, removed := f.Ranges, gone
	shift := 0 // new minus old line number of an unchanged line
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

// AgentOnly returns the files that only agents changed and, for all other files, the hunks that only
// agents changed.
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

// InHunk returns the added and removed rows of a hunk.
func (f *File) InHunk(h Hunk) (added, removed []Rows) {
	within := func(rows []Rows, start, count int) []Rows {
		return slices.DeleteFunc(slices.Clone(rows), func(g Rows) bool { return g.Start < start || g.Start+g.Count > start+count })
	}
	if h.OldStart > 0 {
		removed = within(f.Gone, h.OldStart, h.Removed)
	}
	return within(f.Ranges, h.Start, h.Count), removed
}
