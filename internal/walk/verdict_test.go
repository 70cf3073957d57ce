package walk

import (
	"slices"
	"strings"

	"entire/internal/histories"
)

// verdict is what the model says of a commit.
type verdict struct {
	must   []string
	may    map[string]bool
	before map[string]bool // sessions of the commits that this one replaces
	known  map[string]bool // checkpoints of those
	links  map[string]map[string]bound
}

func (v verdict) exact() bool { return len(v.must) == len(v.may) }

func (w *walk) verdict(wt int, c histories.Commit, d diff, m histories.How) verdict {
	v := verdict{may: map[string]bool{}, before: map[string]bool{}, known: map[string]bool{}, links: map[string]map[string]bound{}}
	since := diff{} // what is taken out of the commit that is replaced is work, too
	var held histories.Tree
	if m == histories.Amended {
		held = w.treeOf(w.was.Tree)
		now := w.treeOf(c.Tree)
		for _, p := range histories.Changed(held, now) {
			since[p] = [2]histories.File{held[p], now[p]}
		}
	}
	for _, s := range w.sessions {
		if s.WT != wt {
			continue
		}
		v.links[s.ID] = w.link(s, d, held)
		for p, side := range since {
			if !v.links[s.ID][p].may && w.possibly(s, p, side[0], side[1]) {
				v.links[s.ID][p] = bound{may: true}
			}
		}
		must := false
		for _, b := range v.links[s.ID] {
			must = must || b.must
			v.may[s.ID] = true
		}
		if must {
			v.must = append(v.must, s.ID)
		}
	}
	for _, old := range w.made { // undone commits of these files may be what is made again
		for p := range old.changes {
			_, both := d[p]
			if _, out := since[p]; both || out {
				for _, id := range old.ids {
					v.known[id] = true
				}
			}
		}
	}
	replaced := append(w.replaced(d), w.replaced(since)...)
	if from := w.bySubject[c.Subject()]; m == histories.Copied && from != nil {
		replaced = append(replaced, from)
	}
	for _, s := range w.sessions {
		if (m == histories.Copied || m == histories.Merged) && s.WT == wt && s.Open {
			v.may[s.ID], v.before[s.ID] = true, true // who did this is not to be known
		}
		if s.WT != wt && s.Open { // an agent may commit in another worktree, and the test is the process of agents and people
			v.may[s.ID], v.before[s.ID] = true, true
		}
	}
	for id := range w.folded {
		replaced = append(replaced, w.naming(id)...)
	}
	if m == histories.Copied {
		v.must = nil
	}
	for id := range w.ids { // a squash that came to nothing leaves its message to the next commit, quotes and all
		if strings.Contains(c.Message, "Squashed commit of the following:") && strings.Contains(c.Message, "\n    Entire-Checkpoint: "+id) {
			replaced = append(replaced, w.naming(id)...)
		}
	}
	if m == histories.Amended && w.made[w.was.ID] != nil {
		replaced = append(replaced, w.made[w.was.ID])
	}
	for _, old := range replaced {
		for _, id := range old.ids {
			v.known[id] = true
		}
		for _, id := range old.sessions {
			v.before[id], v.may[id] = true, true
		}
	}
	return v
}

// naming are the commits that name a checkpoint: an amended one may have sessions
// that the first had not.
func (w *walk) naming(id string) []*made {
	var out []*made
	for _, m := range w.made {
		if slices.Contains(m.ids, id) {
			out = append(out, m)
		}
	}
	return out
}

// replaced are the commits that held some of this before.
func (w *walk) replaced(d diff) []*made {
	var out []*made
	for p, side := range d {
		for a := range atoms(p, side[0], side[1]) {
			out = append(out, w.holders[a]...)
		}
	}
	return out
}

func (w *walk) checkFiles(c histories.Commit, id string, files []string, v verdict, d diff) {
	for p, b := range v.links[id] {
		if b.must && !slices.Contains(files, p) {
			histories.Fail("file-missing", "%.7s %q has work of %s at %s, which its checkpoint does not list: %q", c.ID, c.Subject(), id, p, files)
		}
	}
	for _, p := range files {
		if !v.links[id][p].may && !v.before[id] && !w.worksAt(id, p) {
			_, there := d[p]
			histories.Fail("file-extra", "%.7s %q: the checkpoint lists %s for %s (in the commit: %v), whose work it is not", c.ID, c.Subject(), p, id, there)
		}
	}
}

// worksAt reports a path that the session has unfinished work at, whatever a
// commit has of it.
func (w *walk) worksAt(id, path string) bool {
	return slices.ContainsFunc(w.sessions, func(s *sess) bool { return s.ID == id && s.paths[path] })
}
