package rewindwalk

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"entire/internal/histories"
	"entire/strategy/condense"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

// span is what happened between two looks of the engine at the worktree, and who
// did it: a session, "person", or "" where nobody could tell.
type span struct {
	who           string
	turn          int
	before, after histories.Tree
	pipes         map[string]bool // that stood there before: in no step
}

// settle ends a span.
func (h *history) settle(who string) {
	all := h.Files(0)
	now := only(all, h.captured(all))
	if len(histories.Changed(h.last, now)) > 0 {
		h.spans = append(h.spans, span{who: who, before: h.last, after: now, pipes: h.pipes})
	}
	h.last, h.pipes = now, pipesIn(all)
}

func pipesIn(files histories.Tree) map[string]bool {
	out := map[string]bool{}
	for p, f := range files {
		out[p] = f.Mode == "pipe"
	}
	return out
}

// forget begins the spans anew: HEAD has moved, or git has changed files itself.
func (h *history) forget() {
	now := h.Files(0)
	h.spans, h.last, h.pipes, h.epoch = nil, only(now, h.captured(now)), pipesIn(now), h.epoch+1
	for _, s := range h.sessions {
		s.cut = s.Open
	}
}

// maker is who has done what an event of a session's finds, nil for none's event:
// its own turn's work, or a person's where nobody was at work.
func (h *history) maker(s *histories.Session) string {
	busy := 0
	for _, one := range h.sessions {
		if one.Open {
			busy++
		}
	}
	switch {
	case busy == 0:
		return "person"
	case busy == 1 && !h.blurred && s != nil && s.Open:
		return s.ID
	}
	return ""
}

// scopeOp takes back what some have done, and keeps what others have.
func (h *history) scopeOp(rng *rand.Rand) {
	var near []*moment
	for _, m := range h.order {
		if m.epoch == h.epoch && m.pos <= len(h.spans) {
			near = append(near, m)
		}
	}
	if len(near) == 0 {
		return
	}
	m := histories.Pick(rng, near[max(0, len(near)-8):])
	sc := condense.Scope{Kind: condense.ScopeSession, Session: histories.Pick(rng, h.sessions).ID,
		Conflicts: histories.Pick(rng, []condense.ConflictMode{rewind.ConflictsStop, rewind.ConflictsKeep, rewind.ConflictsKeep})}
	from, to := m.pos, len(h.spans)+1
	switch rng.IntN(4) {
	case 0:
		sc.Kind, sc.Session, sc.KeepMine = condense.ScopeTree, "", true
	case 1:
		var turns []int
		for i, s := range h.spans {
			if s.turn > 0 && s.who != "" {
				turns = append(turns, i)
			}
		}
		if len(turns) == 0 {
			return
		}
		from = histories.Pick(rng, turns)
		to = from + 1
		sc.Kind, sc.Session, sc.Turn = condense.ScopeTurn, h.spans[from].who, h.spans[from].turn
	}
	h.part(m, sc, from, to)
}

// part undoes the spans from one to another as far as they are in a scope.
func (h *history) part(m *moment, sc condense.Scope, from, to int) {
	h.Note("   %s %q turn %d since %.7s, mine %t, conflicts %q", sc.Kind, sc.Session, sc.Turn, m.id, sc.KeepMine, sc.Conflicts)
	e, done := h.engine()
	defer done()
	var plan *rewind.Plan
	var err error
	if sc.Kind == condense.ScopeTurn {
		plan, err = rewind.PlanTurn(h.ctx, e, sc)
	} else {
		var point step.RewindPoint
		if point, err = step.FindPoint(h.ctx, e, m.id); err == nil {
			plan, err = rewind.PlanRewind(h.ctx, e, point, sc)
		}
	}
	if errors.Is(err, rewind.ErrNotOnBranch) {
		h.Stats["not on branch"]++
		return
	}
	if err != nil {
		histories.Fail("plan", "%v", err)
	}
	now := h.Files(0)
	want, must, may := h.without(now, sc, from, to, plan)
	if !want.vague {
		h.conflicting(plan, must, may)
	}
	if len(plan.Conflicts) > 0 && sc.Conflicts == rewind.ConflictsStop {
		h.refuses(e, plan)
		return
	}
	did := h.carry(e, plan, want)
	h.Stats["scope "+string(sc.Kind)]++
	if want.vague {
		h.Stats["vague"]++
	}
	h.Stats["conflicts"] += len(plan.Conflicts)
	h.done = append(h.done, did)
	h.undone = nil
}

// without is what the worktree is without the chosen part of what happened. The
// newest of it goes first; what was done later by others is brought together with
// what was there before.
func (h *history) without(now histories.Tree, sc condense.Scope, from, to int, plan *rewind.Plan) (want outcome, must, may map[string]bool) {
	must, may = map[string]bool{}, map[string]bool{}
	mine := h.captured(now)
	target := only(now, mine)
	spans := slices.Clone(h.spans)
	if len(histories.Changed(h.last, target)) > 0 {
		spans = append(spans, span{who: h.maker(nil), before: h.last, after: target, pipes: h.pipes})
	}
	chosen := func(i int) bool {
		switch {
		case i < from || i >= to:
			return false
		case sc.KeepMine:
			return spans[i].who != "person"
		}
		return spans[i].who == sc.Session
	}
	touched, piped := map[string]bool{}, map[string]bool{}
	for i := from; i < len(spans); i++ {
		for _, p := range histories.Changed(spans[i].before, spans[i].after) {
			touched[p] = true
		}
		for p, pipe := range spans[i].pipes { // one that is gone: for the steps, the file that it had replaced is
			if pipe {
				piped[p] = true
			}
			if pipe && now[p].Mode != "pipe" {
				touched[p] = true
			}
		}
	}
	told := map[string]bool{}
	for _, c := range plan.Conflicts {
		told[c.Path] = true
	}
	did, unsure := histories.Tree{}, map[string]bool{}
	vague := false
	for p := range touched {
		f, v, known := h.fold(spans, from, p, target[p], chosen)
		switch {
		case !known && piped[p] && alone(p, touched):
			unsure[p], may[p] = true, true
		case !known:
			vague = true
		case now[p].Mode == "pipe": // stays, whatever it would be
			may[p] = true
		case v == conflict:
			must[p] = true
		case v == doubt:
			may[p] = true
			vague = vague || !told[p]
		default:
			did[p] = f
		}
	}
	h.collide(target, did, must)
	want = h.reach(target, now, mine, nil)
	want.vague, want.unsure = vague, unsure
	return want, must, may
}

// alone reports whether none of the paths is above or below p.
func alone(p string, paths map[string]bool) bool {
	for q := range paths {
		if histories.Below(p, q) || histories.Below(q, p) {
			return false
		}
	}
	return true
}

// collide brings what is to be into a tree. Where somebody else has made a folder,
// or a file, in the place of the other there is a conflict.
func (h *history) collide(target, did histories.Tree, must map[string]bool) {
	was := maps.Clone(target)
	for p, f := range did {
		if f.Mode == "" {
			delete(target, p)
		}
	}
	rest := maps.Clone(target)
	for p, f := range did {
		if f.Mode == "" || f == was[p] {
			continue
		}
		target[p] = f
		for q := range rest {
			if histories.Below(q, p) || histories.Below(p, q) {
				must[p] = true
				delete(target, p)
				break
			}
		}
	}
}

// fold takes the chosen changes of one file back.
func (h *history) fold(spans []span, from int, p string, now histories.File, chosen func(int) bool) (f histories.File, v verdict, known bool) {
	type move struct {
		was, is histories.File
		chosen  bool
	}
	var moves []move
	for i := from; i < len(spans); i++ {
		if spans[i].pipes[p] { // in no step: a step has what stood there before
			return now, sure, false
		}
		was, is := spans[i].before[p], spans[i].after[p]
		if was == is {
			continue
		}
		if spans[i].who == "" {
			return now, sure, false
		}
		c := chosen(i)
		if n := len(moves); c && n > 0 && moves[n-1].chosen {
			moves[n-1].is = is
			continue
		}
		moves = append(moves, move{was, is, c})
	}
	f = now
	for i := len(moves) - 1; i >= 0; i-- {
		if !moves[i].chosen {
			continue
		}
		if f, v = merge(moves[i].is, f, moves[i].was); v != sure {
			return f, v, true
		}
	}
	return f, sure, true
}
