package rewindwalk

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/histories"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// rewindOp goes to some moment.
func (h *history) rewindOp(rng *rand.Rand) {
	if len(h.order) == 0 {
		return
	}
	recent := h.order[max(0, len(h.order)-8):]
	m := histories.Pick(rng, recent)
	if rng.IntN(4) > 0 {
		h.rewind(m)
		return
	}
	var paths []string
	for range 1 + rng.IntN(4) {
		paths = append(paths, histories.Pick(rng, append([]string{"sub", "out"}, names...)))
	}
	h.rewind(m, paths...)
}

// backOp goes to what a rewind has saved.
func (h *history) backOp(rng *rand.Rand) {
	if len(h.saved) == 0 {
		return
	}
	h.rewind(h.saved[max(0, len(h.saved)-1-rng.IntN(2))])
}

// guarded are git's files that no rewind may write.
func (h *history) guarded() string {
	var b strings.Builder
	for _, name := range []string{"index", "HEAD", "config", "refs/stash", "logs/HEAD", "logs/refs/stash", "MERGE_HEAD", "ORIG_HEAD", "refs/heads/main", "packed-refs"} {
		data, err := os.ReadFile(filepath.Join(h.top, ".git", name))
		fmt.Fprintf(&b, "%s %t %q\n", name, err == nil, data)
	}
	return b.String()
}

// rewind goes to a moment, all of the worktree or some paths of it.
func (h *history) rewind(m *moment, paths ...string) {
	h.Note("   rewind to %.7s %q", m.id, paths)
	e, done := h.engine()
	defer done()
	point, err := step.FindPoint(h.ctx, e, m.id)
	if err != nil {
		histories.Fail("find", "%.7s: %v", m.id, err)
	}
	now := h.Files(0)
	want := h.wholeTree(m, now, point.TakenBy != "")
	if len(paths) > 0 && want.refused == "" {
		want = h.limited(want, now, paths)
	}
	plan, err := rewind.PlanRewind(h.ctx, e, point, condense.Scope{Kind: condense.ScopeTree, Paths: paths})
	if want.refused != "" {
		if !errors.Is(err, restore.ErrBaseMoved) {
			histories.Fail("base", "HEAD and the point have both changed %s: %v", want.refused, err)
		}
		h.Stats["refused"]++
		return
	}
	if err != nil {
		histories.Fail("plan", "%v", err)
	}
	if len(plan.Conflicts) > 0 {
		histories.Fail("conflicts", "a rewind to all that was there: %v", plan.Conflicts)
	}
	h.Stats["rewinds"]++
	did := h.carry(e, plan, want)
	h.done = append(h.done, did)
	h.undone = nil
}

// limited is an outcome for some paths only: files, or folders.
func (h *history) limited(all outcome, now histories.Tree, paths []string) outcome {
	in := func(p string) bool {
		for _, limit := range paths {
			if p == limit || histories.Below(p, limit) {
				return true
			}
		}
		return false
	}
	target := only(now, h.captured(now))
	for p := range now {
		if in(p) {
			delete(target, p)
		}
	}
	for p, f := range all.target {
		if in(p) {
			target[p] = f
		}
	}
	for p := range target { // what was not asked for must not make room
		for q := range target {
			if histories.Below(q, p) && in(p) != in(q) {
				return outcome{vague: true}
			}
		}
	}
	missing := map[string]bool{}
	for p := range all.missing {
		missing[p] = in(p)
	}
	o := h.reach(target, now, h.captured(now), missing)
	o.either = map[string]bool{}
	for p, hidden := range all.either {
		o.either[p] = hidden && in(p)
	}
	return o
}

// deed is what a rewind has done to each path: what was there, what is.
type deed map[string][2]histories.File

// carry lets a plan be carried out and compares all that there is.
func (h *history) carry(e *sessionstate.Env, plan *rewind.Plan, want outcome) deed {
	before := h.read()
	now := histories.Bare(before)
	guarded := h.guarded()
	h.settle(h.maker(nil))
	out, err := rewind.Rewind(h.ctx, e, plan)
	if err != nil {
		histories.Fail("rewind", "%v", err)
	}
	after := h.read()
	if g := h.guarded(); g != guarded {
		histories.Fail("git", "%s\nwas\n%s", g, guarded)
	}
	if !want.vague {
		h.equal(histories.Bare(after), want)
	}
	h.planned(plan, out, before, after)
	for p := range want.kept {
		if !want.either[p] && !kept(out.Kept, p) && !named(plan.Uncaptured, p) {
			histories.Fail("kept", "%q is not as it should be, and nothing says so: %v %v", p, out.Kept, plan.Uncaptured)
		}
	}
	saved := h.momentOf(out.SafetyID, now)
	h.settle("")
	if known := h.points[out.SafetyID]; known == nil {
		h.points[out.SafetyID] = saved
	}
	h.saved = append(h.saved, saved)
	h.Note("   saved as %.7s", out.SafetyID)
	h.learn(e)
	did := deed{}
	for _, p := range histories.Changed(now, histories.Bare(after)) {
		did[p] = [2]histories.File{now[p], after[p].File}
	}
	return did
}

func named(list []worktree.Uncaptured, path string) bool {
	for _, u := range list {
		if u.Path == path {
			return true
		}
	}
	return false
}

func kept(list []sessionstate.KeptFile, path string) bool {
	for _, k := range list {
		if k.Path == path {
			return true
		}
	}
	return false
}

func (h *history) equal(got histories.Tree, want outcome) {
	var diff []string
	for _, p := range histories.Changed(want.files, got) {
		if want.unsure[p] {
			continue
		}
		if is, must := got[p], want.files[p]; is.Mode != must.Mode && !(want.either[p] && is.Mode == "") || is.Mode != "" && is != must {
			diff = append(diff, fmt.Sprintf("%q is %v, want %v", p, is, must))
		}
	}
	if len(diff) > 0 {
		histories.Fail("files", "%s", strings.Join(diff, "\n"))
	}
}

// planned holds what was done against what was said: each path of the plan was
// changed as it says, and no other one was touched, not even its time.
func (h *history) planned(plan *rewind.Plan, out *restore.RewindOutcome, before, after map[string]histories.Stamped) {
	said := map[string]restore.PlannedChange{}
	for _, c := range plan.Changes {
		said[c.Path] = c
	}
	for _, p := range histories.Sorted(said) {
		was, is := before[p].File, after[p].File
		if was == is && kept(out.Kept, p) {
			continue
		}
		action := restore.PlanWrite
		switch {
		case is.Mode == "":
			action = restore.PlanRemove
		case was.Mode == "":
			action = restore.PlanCreate
		case was.Text == is.Text && was.Mode != "link" && is.Mode != "link":
			action = restore.PlanMode
		}
		if c := said[p]; c.Action != action || was == is {
			histories.Fail("plan", "%q: said %s, and %v became %v", p, c.Action, was, is)
		} else {
			h.counted(c, was, is)
		}
	}
	for _, files := range []map[string]histories.Stamped{before, after} {
		for p := range files {
			if _, planned := said[p]; !planned && before[p] != after[p] {
				histories.Fail("beside", "%q is not in the plan: %v became %v", p, before[p], after[p])
			}
		}
	}
	for p, f := range histories.Read(filepath.Join(h.Repo.Root, "outside")) {
		if h.outside[p] != f {
			histories.Fail("outside", "%s became %v", p, f)
		}
	}
}

// counted holds the counts of lines against the marks.
func (h *history) counted(c restore.PlannedChange, was, is histories.File) {
	old, new := lineSet(was.Text), lineSet(is.Text)
	if strings.Contains(was.Text+is.Text, "\x00") || len(old) < strings.Count(was.Text, "\n") || len(new) < strings.Count(is.Text, "\n") {
		return // binary, or a line comes twice, as between markers
	}
	both := func(text string) []string {
		return slices.DeleteFunc(split(text), func(line string) bool { return !old[line] || !new[line] })
	}
	if !slices.Equal(both(was.Text), both(is.Text)) {
		return // a line was moved, which is taken out and put in
	}
	ins, del := 0, 0
	for line := range new {
		if !old[line] {
			ins++
		}
	}
	for line := range old {
		if !new[line] {
			del++
		}
	}
	if c.Insertions != ins || c.Deletions != del {
		histories.Fail("counts", "%q: said +%d -%d, and it is +%d -%d", c.Path, c.Insertions, c.Deletions, ins, del)
	}
}

func lineSet(text string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(text) {
		out[line] = true
	}
	return out
}
