package rewindwalk

import (
	"errors"
	"math/rand/v2"

	"entire/internal/histories"
	"entire/strategy/condense"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
)

func (h *history) undoOp(rng *rand.Rand) { h.again(rng, &h.done, &h.undone, true) }

func (h *history) redoOp(rng *rand.Rand) { h.again(rng, &h.undone, &h.done, false) }

// again takes back the deed that is the next on one list, and puts what it did
// on the other.
func (h *history) again(rng *rand.Rand, from, to *[]deed, undo bool) {
	e, done := h.engine()
	defer done()
	mode := histories.Pick(rng, []condense.ConflictMode{rewind.ConflictsStop, rewind.ConflictsKeep})
	plan, none, err := h.planBack(e, mode, undo)
	if len(*from) == 0 {
		if !errors.Is(err, none) {
			histories.Fail("nothing", "undo %t: %v", undo, err)
		}
		return
	}
	if err != nil {
		histories.Fail("plan", "undo %t: %v", undo, err)
	}
	last := len(*from) - 1
	h.Note("   takes back %q, undo %t", histories.Sorted((*from)[last]), undo)
	want, must, may := h.back((*from)[last], h.Files(0), plan)
	h.conflicting(plan, must, may)
	if len(plan.Conflicts) > 0 && mode == rewind.ConflictsStop {
		h.refuses(e, plan)
		return
	}
	did := h.carry(e, plan, want)
	h.Stats["undo"]++
	*from = (*from)[:last]
	*to = append(*to, did)
}

func (h *history) planBack(e *sessionstate.Env, mode condense.ConflictMode, undo bool) (*rewind.Plan, error, error) {
	if undo {
		plan, err := rewind.PlanUndo(h.ctx, e, "", mode)
		return plan, rewind.ErrNothingToUndo, err
	}
	plan, err := rewind.PlanRedo(h.ctx, e, "", mode)
	return plan, rewind.ErrNothingToRedo, err
}

// refuses holds that a plan with conflicts changes nothing.
func (h *history) refuses(e *sessionstate.Env, plan *rewind.Plan) {
	before, guarded := h.read(), h.guarded()
	if _, err := rewind.Rewind(h.ctx, e, plan); !errors.Is(err, rewind.ErrConflicts) {
		histories.Fail("conflicts", "a plan with %v goes ahead: %v", plan.Conflicts, err)
	}
	h.Stats["stopped"]++
	for p, f := range h.read() {
		if before[p] != f {
			histories.Fail("conflicts", "%q was changed: %v", p, f)
		}
		delete(before, p)
	}
	if len(before) > 0 || h.guarded() != guarded {
		histories.Fail("conflicts", "gone, or git's files were changed: %v", before)
	}
}

// conflicting holds a plan's conflicts against those that there must be, and may.
func (h *history) conflicting(plan *rewind.Plan, must, may map[string]bool) {
	told := map[string]bool{}
	for _, c := range plan.Conflicts {
		told[c.Path] = true
		if !must[c.Path] && !may[c.Path] {
			histories.Fail("conflicts", "%q is no conflict", c.Path)
		}
	}
	for p := range must {
		if !told[p] {
			histories.Fail("conflicts", "%q is a conflict, and not named: %v", p, histories.Sorted(told))
		}
	}
}

// back is what becomes of the files when a deed is taken back: each path is what
// it was, where nobody has changed it since; where somebody has, both ways are
// brought together or there is a conflict, and the file stays.
func (h *history) back(did deed, now histories.Tree, plan *rewind.Plan) (want outcome, must, may map[string]bool) {
	must, may = map[string]bool{}, map[string]bool{}
	mine := h.captured(now)
	target := only(now, mine)
	told := map[string]bool{}
	for _, c := range plan.Conflicts {
		told[c.Path] = true
	}
	to := histories.Tree{}
	for p, step := range did {
		f, v := merge(step[1], target[p], step[0])
		switch {
		case now[p].Mode == "pipe": // stays, whatever it would be
			may[p] = true
		case v == conflict:
			must[p] = true
		case v == doubt:
			may[p] = true
			want.vague = want.vague || !told[p]
		default:
			to[p] = f
		}
	}
	h.collide(target, to, must)
	vague := want.vague
	want = h.reach(target, now, mine, nil)
	want.vague = vague
	return want, must, may
}
