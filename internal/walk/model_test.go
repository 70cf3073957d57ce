package walk

import (
	"maps"
	"slices"
	"strings"

	"entire/internal/histories"
)

// The model knows work as atoms. Every line that is ever written into a file is
// unlike any other, so that "this line came" and "this line went" say by
// themselves whose they are, wherever the line turns up. What is no line (a
// mode, a link, a file that comes or goes) is an atom with its path.

func atoms(path string, old, now histories.File) map[string]bool {
	out := map[string]bool{}
	if old == now {
		return out
	}
	before, after := lines(old), lines(now)
	for line := range after {
		if !before[line] {
			out["+"+line] = true
		}
	}
	for line := range before {
		if !after[line] {
			out["-"+line] = true
		}
	}
	switch {
	case now.Mode == "":
		out["gone "+path] = true
	case now.Mode == "link":
		out["link "+path+" "+now.Text] = true
	case old.Mode != now.Mode && (old.Mode != "" || now.Mode == "755"):
		out["mode "+path+" "+now.Mode] = true
	}
	if old.Mode == "" {
		out["new "+path] = true
	}
	return out
}

func lines(f histories.File) map[string]bool {
	out := map[string]bool{}
	if f.Mode == "link" || f.Mode == "" {
		return out
	}
	for line := range strings.Lines(f.Text) {
		out[strings.TrimSuffix(line, "\n")] = true
	}
	return out
}

func meet(a, b map[string]bool) bool {
	for k := range a {
		if b[k] {
			return true
		}
	}
	return false
}

// sess is what the model knows of one session.
type sess struct {
	*histories.Session

	did     map[string]bool           // atoms of its own edits
	told    map[string]bool           // paths changed in the open turn: the transcript tells of it
	over    map[string]bool           // paths at which another session has worked since
	where   map[string]string         // the path of each
	around  map[string]bool           // what else changed while it was at work: may be taken for its own
	seen    map[string]bool           // own atoms that stood there at the end of a turn
	turn    map[string]bool           // own atoms of the open turn
	blurred map[string]bool           // paths that a rewind may have brought to that state
	named   map[string]bool           // own atoms of the open turn that the transcript tells of
	gone    map[string]bool           // own atoms that were away from worktree and HEAD for a while
	left    map[string]histories.File // what it left at each path, until that is committed
	found   map[string]histories.File // what stood, when a turn was over, where something else had changed in it
	kept    map[string]histories.File // left, as of the end of its last turn: what a step must hold
	paths   map[string]bool           // paths it may have unfinished work at
	began   histories.Tree            // the worktree when its turn began
	looked  histories.Tree            // and when it was last looked at
	alone   bool                      // no other session was at work in this turn
	unheard bool                      // a commit without hooks, and no event of its own since
	open    []string                  // checkpoints made in the open turn
}

// edited records the session's own change of a path. told says that the
// transcript tells of it; a shell command's changes it does not tell.
func (s *sess) edited(path string, old, now histories.File, told bool) {
	for a := range atoms(path, old, now) {
		s.did[a], s.where[a], s.turn[a] = true, path, true
		if told {
			s.named[a] = true
		}
	}
	s.told[path] = told
	s.left[path] = now
	s.paths[path] = true
	delete(s.over, path)
	delete(s.blurred, path)
}

// turnClosed is the end of a turn, told or noticed later.
func (s *sess) turnClosed(now, head histories.Tree) {
	s.surroundings(now)
	for p, told := range s.told {
		f, left := s.left[p]
		switch {
		case left && s.began != nil && f == s.began[p]:
			delete(s.kept, p) // a turn that leaves a file as it found it has done nothing
		case left && now[p] == f && (s.alone || told):
			s.kept[p] = f
		}
	}
	clear(s.told)
	defer clear(s.turn)
	// What a shell did and a person committed before the turn's end is in no step.
	for p, f := range now {
		for line := range lines(f) {
			if a := "+" + line; s.turn[a] && (s.alone && !lines(head[p])[line] || s.named[a]) {
				s.seen[a] = true
			}
		}
		for a := range s.turn {
			if line, ok := strings.CutPrefix(a, "-"); ok && s.where[a] == p && s.paths[p] && !lines(f)[line] && (s.alone && lines(head[p])[line] || s.named[a]) {
				s.seen[a] = true
			}
		}
	}
	s.named = map[string]bool{}
	s.began = nil
}

// surroundings takes note of everything that changed since the turn began, and
// since the last look: what came in the turn may have gone in it again.
func (s *sess) surroundings(now histories.Tree) {
	if s.began == nil {
		return
	}
	for _, was := range []histories.Tree{s.began, s.looked} {
		for _, p := range histories.Changed(was, now) {
			s.paths[p] = true
			s.found[p] = now[p]
			maps.Copy(s.around, atoms(p, was[p], now[p]))
		}
	}
	s.looked = now
}

// restored takes note of removed lines that stand there again, put back by whoever
// it was: to remove them once more is another's work.
func (s *sess) restored(worktree histories.Tree) {
	for a := range s.seen {
		if line, ok := strings.CutPrefix(a, "-"); ok && lines(worktree[s.where[a]])[line] {
			s.gone[a] = true
		}
	}
}

// missing takes note of work that is neither in the worktree nor in HEAD.
func (s *sess) missing(worktree, head histories.Tree) {
	there := map[string]bool{}
	for _, t := range []histories.Tree{worktree, head} {
		for _, f := range t {
			maps.Copy(there, lines(f))
		}
	}
	for a := range s.seen {
		if line, ok := strings.CutPrefix(a, "+"); ok && !there[line] {
			s.gone[a] = true
		}
	}
	for p, f := range s.left {
		if worktree[p] != f && head[p] != f {
			s.gone["left "+p] = true
		}
	}
}

// A bound is what the model says of one session and one commit: it must be
// linked (work of it is certainly there), may be, or must not.
type bound struct{ must, may bool }

// diff is what a commit changes: against its first parent, or, of a merge,
// only what no parent has.
type diff map[string][2]histories.File

// link says for one session what a commit that was made with hooks in the
// session's worktree has of it, by path.
// held are the files of the commit that it replaces, nil for none.
func (w *walk) link(s *sess, d diff, held histories.Tree) map[string]bound {
	out := map[string]bound{}
	for p, side := range d {
		b := bound{must: w.surely(s, p, side[0], side[1], held != nil && held[p] == side[1]), may: w.possibly(s, p, side[0], side[1])}
		if b.must || b.may {
			out[p] = bound{b.must, true}
		}
	}
	return out
}

// surely is work that nobody could take for another's. A turn that takes back
// what it did on top of the commit that is replaced, which held that, has left nothing.
func (w *walk) surely(s *sess, p string, old, now histories.File, held bool) bool {
	left, known := s.kept[p]
	if known && !held && !s.blurred[p] && s.left[p] == left && left == now && now != old && !s.away("left "+p, w) && !s.tookModeBack(p, old, now) {
		return true
	}
	if now.Mode == "" || now.Mode == "link" || old.Mode == "link" {
		return false
	}
	mine := 0
	for a := range atoms(p, old, now) {
		mineAt := s.where[a] == p && s.paths[p] && (s.seen[a] || s.named[a]) && !s.away(a, w)
		stands := s.left[p].Mode != "" && s.left[p].Mode != "link" // who removes a file, or makes a link of it, takes no one line out
		shows := a[0] == '+' || a[0] == '-' && old.Mode != "" && stands
		if mineAt && shows && w.fresh(a, s) {
			mine++
		}
	}
	if old.Mode == "" { // a new file may have become another one
		return 2*mine >= max(1, len(lines(now)))
	}
	return mine > 0
}

// tookModeBack reports that all the session did to a file was to give it the mode
// again that HEAD has: that is no work, though another's is in the version it left.
func (s *sess) tookModeBack(p string, old, now histories.File) bool {
	if old.Mode == "" || old.Mode != now.Mode || !s.did["mode "+p+" "+now.Mode] {
		return false
	}
	for a := range atoms(p, old, now) {
		if s.did[a] && s.where[a] == p {
			return false
		}
	}
	return true
}

// away reports work that was not in the worktree for a while.
func (s *sess) away(what string, w *walk) bool { return s.gone[what] && !w.on("away") }

// fresh reports work that no commit ever held, or only commits linked to s,
// which were undone.
func (w *walk) fresh(atom string, s *sess) bool {
	for _, c := range w.holders[atom] {
		if !slices.Contains(c.sessions, s.ID) {
			return false
		}
	}
	return true
}

// possibly is anything that could be of the session's doing.
func (w *walk) possibly(s *sess, p string, old, now histories.File) bool {
	a := atoms(p, old, now)
	if meet(a, s.did) || meet(a, s.around) {
		return true
	}
	if s.Open && s.began != nil && (old != s.began[p] || meet(a, atoms(p, s.began[p], now))) {
		return true // something happened here in its turn
	}
	if f, known := s.left[p]; known && f == now && now != old {
		return true // the very version it left, though the commit shows no line of its own: it took one out of a new file
	}
	if f, known := s.found[p]; known && f == now && now != old {
		return true // the same of what somebody else did in its turn
	}
	// A tracked file with other changes than the session's.
	return s.paths[p] && old.Mode != "" && now.Mode != "" && !w.apart(s, p, old, now)
}

// apart reports a part of a file that is not the session's: its own lines stay
// behind in the worktree.
func (w *walk) apart(s *sess, p string, old, now histories.File) bool {
	there := w.now[p]
	for line := range lines(there) {
		if a := "+" + line; s.did[a] && !lines(now)[line] {
			return true
		}
	}
	return false
}

// committed brings the session up to date with a commit in its worktree. One that
// has not heard of an earlier commit without hooks stands on another HEAD: after a
// reset back to there, it may work where it did, as if neither had been made.
func (s *sess) committed(d diff, worktree histories.Tree, elsewhere bool) {
	for p, side := range d {
		if s.found[p] == side[1] {
			delete(s.found, p)
		}
		if f := worktree[p]; s.Open && side[1].Mode == "" && f.Mode != "" {
			// A commit in its turn took the file out and left it lying: beside HEAD,
			// the turn has made an untracked file.
			maps.Copy(s.around, atoms(p, side[1], f))
			s.paths[p] = true
		}
		if s.left[p] == side[1] {
			delete(s.left, p)
			delete(s.kept, p)
		}
		if worktree[p] == side[1] {
			delete(s.left, p)
			delete(s.kept, p)
			if !elsewhere {
				delete(s.paths, p)
			}
		}
	}
}
