package walk

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"regexp"

	"entire/internal/histories"
)

func sha256of(s string) [32]byte { return sha256.Sum256([]byte(s)) }

// point is what the worktree was when a step was made.
type point struct {
	files histories.Tree
	base  string // the commit it was made on
	taken bool   // a commit has taken its work
}

type listedPoint struct {
	ID       string `json:"id"`
	LogsOnly bool   `json:"is_logs_only"`
	TakenBy  string `json:"taken_by"`
}

func (w *walk) list(wt int) []listedPoint {
	out := w.entire(wt, "", "rewind", "--list")
	var points []listedPoint
	if err := json.Unmarshal([]byte(out.Out), &points); out.Code != 0 || err != nil {
		histories.Fail("list", "rewind --list: exit %d, %v: %q", out.Code, err, out.Out)
	}
	return points
}

// listPoints remembers what the worktree is at each new point.
func (w *walk) listPoints(wt int) {
	for _, p := range w.list(wt) {
		if _, known := w.points[p.ID]; !known && !p.LogsOnly {
			w.points[p.ID] = point{files: w.files(wt), base: w.real.Commit(w.real.Head(wt)).ID}
		}
	}
}

var savedAs = regexp.MustCompile(`The present was saved as ([0-9a-f]+)`)

// rewindOp goes to a listed point.
func (w *walk) rewindOp(rng *rand.Rand) {
	wt := anyWorktree(rng)
	if w.someoneAtWork(wt) {
		return
	}
	var steps []listedPoint
	for _, p := range w.list(wt) {
		if !p.LogsOnly {
			steps = append(steps, p)
		}
	}
	if len(steps) == 0 {
		return
	}
	step := steps[rng.IntN(len(steps))]
	id := step.ID
	p, known := w.points[id]
	p.taken = step.TakenBy != ""
	if !known {
		histories.Fail("list", "point %.7s was never made", id)
	}
	w.rewind(wt, id, p)
}

// undoOp goes back to what the last rewind saved.
func (w *walk) undoOp(rng *rand.Rand) {
	wt := anyWorktree(rng)
	saved := w.saved[wt]
	if saved.id == "" || saved.base != w.real.Commit(w.real.Head(wt)).ID || w.someoneAtWork(wt) {
		return
	}
	w.rewind(wt, saved.id, saved.point)
}

func (w *walk) someoneAtWork(wt int) bool {
	for _, s := range w.sessions {
		if s.WT == wt && s.Open {
			return true
		}
	}
	return false
}

// rewind goes to a point and checks that the worktree is what it was there.
func (w *walk) rewind(wt int, id string, p point) {
	now, head := w.files(wt), w.real.Commit(w.real.Head(wt))
	want, fits := w.target(p, head)
	out := w.entire(wt, "", "rewind", "--to", id, "--tree", "--yes")
	w.Note("%d rewind %.7s -> %d", wt, id, out.Code)
	w.Stats["rewinds"]++
	if !fits {
		if out.Code == 0 {
			histories.Fail("rewind", "to %.7s: HEAD changed the same file, and yet it went: %s", id, out.Out)
		}
		want = now
	} else if out.Code != 0 {
		histories.Fail("rewind", "to %.7s: exit %d: %s", id, out.Code, out.Out)
	}
	got := w.files(wt)
	if wrong := histories.Changed(got, want); len(wrong) > 0 {
		f := wrong[0]
		histories.Fail("rewind", "to %.7s: %v differ; %s is %q, was %q, shall be %q\n%s", id, wrong, f, got[f], now[f], want[f], out.Out)
	}
	for _, path := range histories.Changed(now, want) {
		histories.Put(w.twin.Dir(wt), path, want[path])
	}
	if m := savedAs.FindStringSubmatch(out.Out); m != nil {
		w.saved[wt] = struct {
			id string
			point
		}{m[1], point{files: now, base: head.ID}}
	} else if out.Code == 0 && len(histories.Changed(now, want)) > 0 {
		histories.Fail("rewind", "to %.7s: nothing says how to go back: %q", id, out.Out)
	}
	for _, s := range w.sessions {
		for path := range s.kept {
			s.blurred[path] = s.blurred[path] || s.WT == wt
		}
		if p.taken && s.WT == wt {
			s.broughtBack(now, want)
		}
	}
	w.event(wt)
	w.compare(wt)
}

// broughtBack records a rewind to a point that a commit has taken. The session's files
// are again the versions that its turns left, so its work there is not committed.
func (s *sess) broughtBack(now, want histories.Tree) {
	worked := map[string]bool{}
	for _, path := range s.where {
		worked[path] = true
	}
	for _, path := range histories.Changed(now, want) {
		if worked[path] {
			maps.Copy(s.around, atoms(path, now[path], want[path]))
			s.paths[path] = true
		}
	}
}

// target is the worktree a rewind must lead to: the point's own, also where a commit
// has taken its work; else, on another commit, that commit's with what the point had
// changed.
func (w *walk) target(p point, head histories.Commit) (want histories.Tree, fits bool) {
	if p.base == head.ID || p.taken {
		return p.files, true
	}
	base, now := w.treeOf(w.real.Commit(p.base).Tree), w.treeOf(head.Tree)
	want = maps.Clone(now)
	for path, f := range p.files {
		if ignored(path) {
			want[path] = f
		}
	}
	for _, path := range histories.Changed(base, p.files) {
		if ignored(path) {
			continue
		}
		if now[path] != base[path] && now[path] != p.files[path] {
			return nil, false
		}
		if delete(want, path); p.files[path].Mode != "" {
			want[path] = p.files[path]
		}
	}
	return want, true
}
