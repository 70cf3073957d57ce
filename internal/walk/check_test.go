package walk

import (
	"maps"
	"slices"
	"strings"

	"entire/internal/histories"
)

// made is what the walk knows of a commit of the real side.
type made struct {
	histories.Commit
	ids      []string // checkpoints its message names
	sessions []string // that they are linked to
	changes  diff
}

// Before remembers where a worktree stands ahead of an operation.
func (w *walk) Before(wt int) {
	w.was, w.now = w.real.Commit(w.real.Head(wt)), w.files(wt)
	for _, s := range w.sessions {
		if s.WT == wt {
			s.surroundings(w.now)
		}
	}
}

// Folding notes the checkpoints that the commits of a range name, before git makes fewer commits out of them.
func (w *walk) Folding(wt int, revs string, less int) {
	w.folded = map[string]bool{}
	for _, id := range strings.Fields(w.real.Git(wt, "rev-list", revs)) {
		for _, cp := range trailers(w.real.Commit(id).Message) {
			w.folded[cp] = true
		}
	}
	base, _, _ := strings.Cut(revs, "..")
	w.fold.base = strings.TrimSpace(w.real.Git(wt, "rev-parse", base))
	w.fold.ids, w.fold.commits = w.namesAbove(wt, w.fold.base)
	w.fold.commits -= less
}

// After compares the sides and checks every commit that is new in a worktree.
func (w *walk) After(wt int, how histories.How) {
	m := how
	switch how {
	case histories.Reverted, histories.Folded:
		m = histories.Copied
	case histories.Unlinked:
		m = histories.Unhooked
	}
	made := len(w.unseen(w.real.Commit(w.real.Head(wt)).ID))
	w.reverting = how == histories.Reverted
	w.judge(wt, m)
	w.folded, w.reverting = nil, false
	if how == histories.Folded && made > 0 {
		// Of a commit that is folded with its own revert nothing is left, and git
		// drops it with its message: nobody would look for its checkpoint.
		if got, n := w.namesAbove(wt, w.fold.base); n >= w.fold.commits && !subset(w.fold.ids, got) {
			histories.Fail("folded", "the commits named %v, now %v", w.fold.ids, got)
		}
	}
	for _, s := range w.sessions {
		s.unheard = s.unheard || how == histories.Unhooked && s.WT == wt
	}
}

func (w *walk) judge(wt int, m histories.How) {
	w.compare(wt)
	head := w.real.Commit(w.real.Head(wt))
	fresh := w.unknown(head.ID)
	for _, c := range fresh {
		if c.ID == head.ID && m != histories.Copied && (m != histories.Merged || len(c.Parents) > 1) {
			w.checkLink(wt, c, m)
		} else {
			w.checkCopy(wt, c)
		}
	}
	if head.ID != w.was.ID {
		w.event(wt)
		w.headMoved(wt, m)
	}
	if len(fresh) > 0 && m == histories.Hooked {
		w.checkShadow(wt)
	}
}

// unknown lists commits never seen before, oldest first.
func (w *walk) unknown(id string) []histories.Commit {
	out := w.unseen(id)
	for _, c := range out {
		w.made[c.ID] = &made{Commit: c}
	}
	return out
}

func (w *walk) unseen(id string) []histories.Commit {
	if w.made[id] != nil || id == "" {
		return nil
	}
	c := w.real.Commit(id)
	var out []histories.Commit
	for _, parent := range c.Parents {
		for _, below := range w.unseen(parent) {
			if !slices.ContainsFunc(out, func(o histories.Commit) bool { return o.ID == below.ID }) {
				out = append(out, below)
			}
		}
	}
	return append(out, c)
}

// learn remembers a commit with its links.
func (w *walk) learn(c histories.Commit, ids, sessions []string) {
	m := &made{c, ids, sessions, w.diffOf(c)}
	w.made[c.ID] = m
	if len(c.Parents) < 2 {
		w.bySubject[c.Subject()] = m
	}
	for p, side := range m.changes {
		for a := range atoms(p, side[0], side[1]) {
			w.holders[a] = append(w.holders[a], m)
		}
	}
}

// diffOf is what a commit has that no parent has.
func (w *walk) diffOf(c histories.Commit) diff {
	now := w.treeOf(c.Tree)
	d := diff{}
	if len(c.Parents) == 0 {
		return d // the first commit is nobody's
	}
	first := w.treeOf(w.real.Commit(c.Parents[0]).Tree)
	for _, p := range histories.Changed(first, now) {
		d[p] = [2]histories.File{first[p], now[p]}
	}
	for _, parent := range c.Parents[1:] {
		other := w.treeOf(w.real.Commit(parent).Tree)
		for p := range d {
			if other[p] == now[p] {
				delete(d, p)
			}
		}
	}
	return d
}

// checkCopy is a commit whose message git took from another: so is its link.
func (w *walk) checkCopy(wt int, c histories.Commit) {
	ids := trailers(c.Message)
	if w.folded != nil {
		w.checkFolded(wt, c, ids)
		return
	}
	var want, sessions []string
	if from := w.bySubject[c.Subject()]; from != nil {
		want, sessions = from.ids, from.sessions
	}
	if len(c.Parents) > 1 || w.reverting { // git wrote the message, which is like another's by chance
		want, sessions = nil, nil
	}
	if len(ids) > len(want) { // work that waits may be in it too
		w.checkLink(wt, c, histories.Copied)
		return
	}
	for _, other := range w.made { // of several with that subject, git may have taken any
		if !w.reverting && other.Subject() == c.Subject() && slices.Equal(ids, other.ids) && len(c.Parents) < 2 && other.ID != c.ID {
			want, sessions = other.ids, other.sessions
		}
	}
	if !slices.Equal(ids, want) {
		histories.Fail("copy", "%.7s %q names %v, the commit it repeats %v", c.ID, c.Subject(), ids, want)
	}
	w.learn(c, ids, sessions)
}

// checkFolded is a commit that an interactive rebase made of one or more. It
// may hold work that no histories.Commit was linked for, or what a reset had undone and a
// commit without hooks had taken since.
func (w *walk) checkFolded(wt int, c histories.Commit, ids []string) {
	var sessions []string
	for _, id := range ids {
		if !w.folded[id] && w.ids[id] == nil {
			w.checkLink(wt, c, histories.Copied)
			return
		}
		names := func(m *made) bool { return slices.Contains(m.ids, id) }
		if !w.folded[id] && !slices.ContainsFunc(w.replaced(w.diffOf(c)), names) {
			histories.Fail("folded", "%.7s %q names %s, which none of the rebased commits did", c.ID, c.Subject(), id)
		}
		for _, m := range w.naming(id) {
			sessions = append(sessions, m.sessions...)
		}
	}
	slices.Sort(sessions)
	w.learn(c, ids, slices.Compact(sessions))
}

// checkLink holds a commit made in wt against the model.
func (w *walk) checkLink(wt int, c histories.Commit, m histories.How) {
	ids := trailers(c.Message)
	if m == histories.Unhooked {
		if len(ids) > 0 {
			histories.Fail("overlinked", "%.7s %q names %v, though no hook was asked", c.ID, c.Subject(), ids)
		}
		w.learn(c, ids, nil)
		return
	}
	if m == histories.Merged { // git runs no post-commit when it merges by itself
		w.entire(wt, "", "status")
	}
	d := w.diffOf(c)
	v := w.verdict(wt, c, d, m)
	w.Stats["commits"]++
	if v.exact() {
		w.Stats["exact"]++
	}
	if len(ids) > 0 {
		w.Stats["linked"]++
	}
	stored := w.stored(c, ids)
	switch {
	case len(ids) == 0 && len(v.must) > 0:
		histories.Fail("unlinked", "%.7s %q has work of %v and names no checkpoint", c.ID, c.Subject(), v.must)
	case len(ids) > 0 && len(v.may) == 0:
		histories.Fail("overlinked", "%.7s %q has no session's work and names %v of %v", c.ID, c.Subject(), ids, slices.Sorted(maps.Keys(stored)))
	}
	for _, id := range v.must {
		if stored[id] == nil {
			histories.Fail("session-missing", "%.7s %q has work of %s, its checkpoints %v are of %v", c.ID, c.Subject(), id, ids, slices.Sorted(maps.Keys(stored)))
		}
	}
	for id, files := range stored {
		if !v.may[id] {
			histories.Fail("session-extra", "%.7s %q has no work of %s, its checkpoints %v are of %v", c.ID, c.Subject(), id, ids, slices.Sorted(maps.Keys(stored)))
		}
		w.checkFiles(c, id, files, v, d)
	}
	for _, id := range ids {
		if other := w.ids[id]; other != nil && !v.known[id] {
			histories.Fail("reused", "%.7s %q names %s, which is of %.7s %q", c.ID, c.Subject(), id, other.ID, other.Subject())
		}
	}
	w.learn(c, ids, slices.Sorted(maps.Keys(stored)))
	for _, id := range ids {
		if w.ids[id] == nil {
			w.ids[id] = w.made[c.ID]
			w.checkTranscripts(id, m)
		}
	}
	for _, s := range w.sessions {
		if s.WT == wt {
			s.committed(d, w.files(wt), s.unheard && !w.on("unheard"))
		}
	}
}

// headMoved lets go of work that HEAD has now.
func (w *walk) headMoved(wt int, m histories.How) {
	head, now := w.headTree(wt), w.files(wt)
	for _, s := range w.sessions {
		if s.WT != wt {
			continue
		}
		for p, f := range s.left {
			if head[p] == f {
				delete(s.left, p)
				delete(s.kept, p)
			}
		}
		for p := range s.paths {
			if _, left := s.left[p]; head[p] == now[p] && !left && (m != histories.Unhooked && !s.unheard || w.on("unheard")) {
				delete(s.paths, p)
			}
		}
	}
}

func (w *walk) headTree(wt int) histories.Tree {
	return w.treeOf(w.real.Commit(w.real.Head(wt)).Tree)
}
