package walk

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"regexp"
)

func sha256of(s string) [32]byte { return sha256.Sum256([]byte(s)) }

// point is what the worktree was when a step was made.
type point struct {
	files tree
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
	if err := json.Unmarshal([]byte(out.out), &points); out.code != 0 || err != nil {
		w.fail("list", "rewind --list: exit %d, %v: %q", out.code, err, out.out)
	}
	return points
}

// listPoints remembers what the worktree is at each new point.
func (w *walk) listPoints(wt int) {
	for _, p := range w.list(wt) {
		if _, known := w.points[p.ID]; !known && !p.LogsOnly {
			w.points[p.ID] = point{files: w.real.worktree(wt), base: w.real.commit(w.real.head(wt)).id}
		}
	}
}

var savedAs = regexp.MustCompile(`The present was saved as ([0-9a-f]+)`)

// rewindOp goes to a listed point.
func (w *walk) rewindOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
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
		w.fail("list", "point %.7s was never made", id)
	}
	w.rewind(wt, id, p)
}

// undoOp goes back to what the last rewind saved.
func (w *walk) undoOp(rng *rand.Rand) {
	wt := w.anyWorktree(rng)
	saved := w.saved[wt]
	if saved.id == "" || saved.base != w.real.commit(w.real.head(wt)).id || w.someoneAtWork(wt) {
		return
	}
	w.rewind(wt, saved.id, saved.point)
}

func (w *walk) someoneAtWork(wt int) bool {
	for _, s := range w.sessions {
		if s.wt == wt && s.phase == active {
			return true
		}
	}
	return false
}

// rewind goes to a point and checks that the worktree is what it was there.
func (w *walk) rewind(wt int, id string, p point) {
	now, head := w.real.worktree(wt), w.real.commit(w.real.head(wt))
	want, fits := w.target(p, head)
	out := w.entire(wt, "", "rewind", "--to", id, "--tree", "--yes")
	w.note("%d rewind %.7s -> %d", wt, id, out.code)
	w.stats["rewinds"]++
	if !fits {
		if out.code == 0 {
			w.fail("rewind", "to %.7s: HEAD changed the same file, and yet it went: %s", id, out.out)
		}
		want = now
	} else if out.code != 0 {
		w.fail("rewind", "to %.7s: exit %d: %s", id, out.code, out.out)
	}
	got := w.real.worktree(wt)
	if wrong := changed(got, want); len(wrong) > 0 {
		f := wrong[0]
		w.fail("rewind", "to %.7s: %v differ; %s is %q, was %q, shall be %q\n%s", id, wrong, f, got[f], now[f], want[f], out.out)
	}
	for _, path := range changed(now, want) {
		w.twin.put(wt, path, want[path])
	}
	if m := savedAs.FindStringSubmatch(out.out); m != nil {
		w.saved[wt] = struct {
			id string
			point
		}{m[1], point{files: now, base: head.id}}
	} else if out.code == 0 && len(changed(now, want)) > 0 {
		w.fail("rewind", "to %.7s: nothing says how to go back: %q", id, out.out)
	}
	for _, s := range w.sessions {
		for path := range s.kept {
			s.blurred[path] = s.blurred[path] || s.wt == wt
		}
		if p.taken && s.wt == wt {
			s.broughtBack(now, want)
		}
	}
	w.event(wt)
	w.compare(wt)
}

// broughtBack records a rewind to a point that a commit has taken. The session's files
// are again the versions that its turns left, so its work there is not committed.
func (s *sess) broughtBack(now, want tree) {
	worked := map[string]bool{}
	for _, path := range s.where {
		worked[path] = true
	}
	for _, path := range changed(now, want) {
		if worked[path] {
			maps.Copy(s.around, atoms(path, now[path], want[path]))
			s.paths[path] = true
		}
	}
}

// target is the worktree a rewind must lead to: the point's own, also where a commit
// has taken its work; else, on another commit, that commit's with what the point had
// changed.
func (w *walk) target(p point, head commit) (want tree, fits bool) {
	if p.base == head.id || p.taken {
		return p.files, true
	}
	base, now := w.real.files(w.real.commit(p.base).tree, w.trees), w.real.files(head.tree, w.trees)
	want = maps.Clone(now)
	for path, f := range p.files {
		if ignored(path) {
			want[path] = f
		}
	}
	for _, path := range changed(base, p.files) {
		if ignored(path) {
			continue
		}
		if now[path] != base[path] && now[path] != p.files[path] {
			return nil, false
		}
		if delete(want, path); p.files[path].mode != "" {
			want[path] = p.files[path]
		}
	}
	return want, true
}
