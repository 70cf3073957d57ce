package walk

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// mode is how a commit came to be, and so what its link must be.
type mode int

const (
	hooked   mode = iota // git commit with hooks
	unhooked             // no hook heard of it, or the person took the trailer out
	amended              // in the place of another
	merged               // with several parents
	squashed             // git commit after merge --squash
	copied               // by rebase, cherry-pick or revert: messages travel
)

// made is what the walk knows of a commit of the real side.
type made struct {
	commit
	ids      []string // checkpoints its message names
	sessions []string // that they are linked to
	changes  diff
}

// before remembers where a worktree stands ahead of an operation.
func (w *walk) before(wt int) {
	w.was, w.now = w.real.commit(w.real.head(wt)), w.real.worktree(wt)
	for _, s := range w.sessions {
		if s.wt == wt {
			s.surroundings(w.now)
		}
	}
}

func (w *walk) commits(c command, m mode) {
	w.before(c.wt)
	w.both(c)
	w.after(c.wt, m)
}

// moved is after for operations that make no commit.
func (w *walk) moved(wt int) {
	w.after(wt, copied)
}

// after compares the sides and checks every commit that is new in a worktree.
func (w *walk) after(wt int, m mode) {
	w.compare(wt)
	head := w.real.commit(w.real.head(wt))
	fresh := w.unknown(head.id)
	for _, c := range fresh {
		if c.id == head.id && m != copied && (m != merged || len(c.parents) > 1) {
			w.checkLink(wt, c, m)
		} else {
			w.checkCopy(wt, c)
		}
	}
	if head.id != w.was.id {
		w.event(wt)
		w.headMoved(wt, m)
	}
	if len(fresh) > 0 && m == hooked {
		w.checkShadow(wt)
	}
}

// unknown lists commits never seen before, oldest first.
func (w *walk) unknown(id string) []commit {
	out := w.unseen(id)
	for _, c := range out {
		w.made[c.id] = &made{commit: c}
	}
	return out
}

func (w *walk) unseen(id string) []commit {
	if w.made[id] != nil || id == "" {
		return nil
	}
	c := w.real.commit(id)
	var out []commit
	for _, parent := range c.parents {
		for _, below := range w.unseen(parent) {
			if !slices.ContainsFunc(out, func(o commit) bool { return o.id == below.id }) {
				out = append(out, below)
			}
		}
	}
	return append(out, c)
}

// learn remembers a commit with its links.
func (w *walk) learn(c commit, ids, sessions []string) {
	m := &made{c, ids, sessions, w.diffOf(c)}
	w.made[c.id] = m
	if len(c.parents) < 2 {
		w.bySubject[c.subject()] = m
	}
	for p, side := range m.changes {
		for a := range atoms(p, side[0], side[1]) {
			w.holders[a] = append(w.holders[a], m)
		}
	}
}

// diffOf is what a commit has that no parent has.
func (w *walk) diffOf(c commit) diff {
	now := w.real.files(c.tree, w.trees)
	d := diff{}
	if len(c.parents) == 0 {
		return d // the first commit is nobody's
	}
	first := w.real.files(w.real.commit(c.parents[0]).tree, w.trees)
	for _, p := range changed(first, now) {
		d[p] = [2]file{first[p], now[p]}
	}
	for _, parent := range c.parents[1:] {
		other := w.real.files(w.real.commit(parent).tree, w.trees)
		for p := range d {
			if other[p] == now[p] {
				delete(d, p)
			}
		}
	}
	return d
}

// checkCopy is a commit whose message git took from another: so is its link.
func (w *walk) checkCopy(wt int, c commit) {
	ids := trailers(c.message)
	if w.folded != nil {
		w.checkFolded(wt, c, ids)
		return
	}
	var want, sessions []string
	if from := w.bySubject[c.subject()]; from != nil {
		want, sessions = from.ids, from.sessions
	}
	if len(c.parents) > 1 || w.reverting { // git wrote the message, which is like another's by chance
		want, sessions = nil, nil
	}
	if len(ids) > len(want) { // work that waits may be in it too
		w.checkLink(wt, c, copied)
		return
	}
	for _, other := range w.made { // of several with that subject, git may have taken any
		if !w.reverting && other.subject() == c.subject() && slices.Equal(ids, other.ids) && len(c.parents) < 2 && other.id != c.id {
			want, sessions = other.ids, other.sessions
		}
	}
	if !slices.Equal(ids, want) {
		w.fail("copy", "%.7s %q names %v, the commit it repeats %v", c.id, c.subject(), ids, want)
	}
	w.learn(c, ids, sessions)
}

// checkFolded is a commit that an interactive rebase made of one or more. It
// may hold work that no commit was linked for, or what a reset had undone and a
// commit without hooks had taken since.
func (w *walk) checkFolded(wt int, c commit, ids []string) {
	var sessions []string
	for _, id := range ids {
		if !w.folded[id] && w.ids[id] == nil {
			w.checkLink(wt, c, copied)
			return
		}
		names := func(m *made) bool { return slices.Contains(m.ids, id) }
		if !w.folded[id] && !slices.ContainsFunc(w.replaced(w.diffOf(c)), names) {
			w.fail("folded", "%.7s %q names %s, which none of the rebased commits did", c.id, c.subject(), id)
		}
		for _, m := range w.naming(id) {
			sessions = append(sessions, m.sessions...)
		}
	}
	slices.Sort(sessions)
	w.learn(c, ids, slices.Compact(sessions))
}

// checkLink holds a commit made in wt against the model.
func (w *walk) checkLink(wt int, c commit, m mode) {
	ids := trailers(c.message)
	if m == unhooked {
		if len(ids) > 0 {
			w.fail("overlinked", "%.7s %q names %v, though no hook was asked", c.id, c.subject(), ids)
		}
		w.learn(c, ids, nil)
		return
	}
	if m == merged { // git runs no post-commit when it merges by itself
		w.entire(wt, "", "status")
	}
	d := w.diffOf(c)
	v := w.verdict(wt, c, d, m)
	w.stats["commits"]++
	if v.exact() {
		w.stats["exact"]++
	}
	if len(ids) > 0 {
		w.stats["linked"]++
	}
	stored := w.stored(c, ids)
	switch {
	case len(ids) == 0 && len(v.must) > 0:
		w.fail("unlinked", "%.7s %q has work of %v and names no checkpoint", c.id, c.subject(), v.must)
	case len(ids) > 0 && len(v.may) == 0:
		w.fail("overlinked", "%.7s %q has nobody's work and names %v of %v", c.id, c.subject(), ids, slices.Sorted(maps.Keys(stored)))
	}
	for _, id := range v.must {
		if stored[id] == nil {
			w.fail("session-missing", "%.7s %q has work of %s, its checkpoints %v are of %v", c.id, c.subject(), id, ids, slices.Sorted(maps.Keys(stored)))
		}
	}
	for id, files := range stored {
		if !v.may[id] {
			w.fail("session-extra", "%.7s %q has no work of %s, its checkpoints %v are of %v", c.id, c.subject(), id, ids, slices.Sorted(maps.Keys(stored)))
		}
		w.checkFiles(c, id, files, v, d)
	}
	for _, id := range ids {
		if other := w.ids[id]; other != nil && !v.known[id] {
			w.fail("reused", "%.7s %q names %s, which is of %.7s %q", c.id, c.subject(), id, other.id, other.subject())
		}
	}
	w.learn(c, ids, slices.Sorted(maps.Keys(stored)))
	for _, id := range ids {
		if w.ids[id] == nil {
			w.ids[id] = w.made[c.id]
			w.checkTranscripts(id)
		}
	}
	for _, s := range w.sessions {
		if s.wt == wt {
			s.committed(d, w.real.worktree(wt), s.unheard && !w.on("unheard"))
		}
	}
}

// headMoved lets go of work that HEAD has now.
func (w *walk) headMoved(wt int, m mode) {
	head, now := w.headTree(wt), w.real.worktree(wt)
	for _, s := range w.sessions {
		if s.wt != wt {
			continue
		}
		for p, f := range s.left {
			if head[p] == f {
				delete(s.left, p)
				delete(s.kept, p)
			}
		}
		for p := range s.paths {
			if _, left := s.left[p]; head[p] == now[p] && !left && (m != unhooked && !s.unheard || w.on("unheard")) {
				delete(s.paths, p)
			}
		}
	}
}

func (w *walk) headTree(wt int) tree {
	return w.real.files(w.real.commit(w.real.head(wt)).tree, w.trees)
}

// heads is the branch of a worktree, "" when detached.
func (w *walk) heads(wt int) string {
	name, ok := strings.CutPrefix(w.readGit(w.real, wt, "HEAD"), "ref: ")
	if !ok {
		return ""
	}
	return strings.TrimSpace(name)
}

func (w *walk) note(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}
