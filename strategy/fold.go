package strategy

import (
	"slices"

	"entire/checkpoint"
	"entire/internal/git"
)

// Who made a change, as plans say it; whoSession, whoRewind and whoHead are said
// in other words or not at all.
const (
	whoPerson  = "person"
	whoThis    = "this session"
	whoMixed   = "mixed"
	whoUnknown = "unknown"
	whoSession = "session"
	whoRewind  = "rewind" // to a step that is not among those known
	whoHead    = "head"   // a move of HEAD took the worktree along
)

// maker is who made a change of a file, as far as can be told.
type maker struct {
	who     string
	session string   // whoSession
	among   []string // whoMixed and whoUnknown: the sessions at work then
}

// maybe reports whether the change is a session's, or may be.
func (m maker) maybe(session string) bool {
	return m.who == whoSession && m.session == session || slices.Contains(m.among, session)
}

func (m maker) clear() bool { return m.who != whoMixed && m.who != whoUnknown }

// fileMove is a change of one file from one version to another.
type fileMove struct {
	from, to stood
	by       maker
	step     int
}

// foldStep is what the fold needs to know of a step, for all files.
type foldStep struct {
	session string
	turn    int
	rewind  *rewindAct // nil for every other step
}

// rewindAct is what a rewind's step did to the changes before it.
type rewindAct struct {
	target int // the step gone back to, noStep if it is not among those known
	scope  checkpoint.StepScope
	undoes int // the rewind's step that an undo or a redo takes back, noStep for none
}

const (
	noStep   = -1
	lostStep = -2 // a rewind's step that is not among those known
)

// story is one file's way through the steps: its versions, the changes between
// them, and which of those stand after each step. A rewind makes changes stand no
// longer, and its undo makes them stand again.
type story struct {
	values   []stood // before the first step, after each step, and now
	moves    []fileMove
	standing [][]int // of moves, in order; as values
	acts     map[int]standingAct
	steps    []foldStep
}

type standingAct struct{ gone, back []int }

// tellStory folds a file's versions. by names the maker of the change of a step,
// and movedTo the version that a move of HEAD before it made of the one before.
func tellStory(values []stood, steps []foldStep, by func(int) maker, movedTo func(int) (stood, bool)) story {
	st := story{values: values, steps: steps, acts: map[int]standingAct{}, standing: [][]int{nil}}
	var now []int
	for i, is := range values[1:] {
		was := values[i]
		if mid, moved := movedTo(i); moved && mid != was {
			now = append(slices.Clip(now), st.move(was, mid, maker{who: whoHead}, i))
			was = mid
		}
		switch {
		case is == was:
		case i < len(steps) && steps[i].rewind != nil:
			now = st.rewound(i, was, is, now)
		default:
			now = append(slices.Clip(now), st.move(was, is, by(i), i))
		}
		st.standing = append(st.standing, now)
	}
	return st
}

func (st *story) move(from, to stood, by maker, step int) int {
	st.moves = append(st.moves, fileMove{from, to, by, step})
	return len(st.moves) - 1
}

// rewound is what stands after a rewind's step that has changed the file.
func (st *story) rewound(i int, was, is stood, now []int) []int {
	act := st.steps[i].rewind
	did := standingAct{}
	switch before, known := st.acts[act.undoes]; {
	case act.undoes != noStep && known:
		did = standingAct{gone: before.back, back: before.gone}
	case act.undoes != noStep, act.target == noStep && act.scope.Turn == 0:
		return append(slices.Clip(now), st.move(was, is, maker{who: whoRewind}, i))
	default:
		did = st.choice(act.scope, act.target, now)
	}
	st.acts[i] = did
	return stand(now, did)
}

// choice is what a rewind of a scope to a step takes away, and brings back of what
// an earlier rewind had taken away.
func (st *story) choice(sc checkpoint.StepScope, target int, now []int) standingAct {
	if sc.Turn > 0 {
		return standingAct{gone: st.filter(now, nil, sc)}
	}
	var then []int
	if target != noStep {
		then = st.standing[target+1]
	}
	return standingAct{gone: st.filter(now, then, sc), back: st.filter(then, now, sc)}
}

// filter are the moves of a list that a scope is about and that are not in another.
func (st *story) filter(list, not []int, sc checkpoint.StepScope) []int {
	var out []int
	for _, m := range list {
		if !slices.Contains(not, m) && st.isOf(st.moves[m], sc) {
			out = append(out, m)
		}
	}
	return out
}

func (st *story) isOf(m fileMove, sc checkpoint.StepScope) bool {
	switch {
	case slices.ContainsFunc(sc.Apart, m.by.maybe):
		return false
	case sc.All:
		return true
	case sc.Agents:
		return m.by.who == whoSession
	case sc.Session.IsZero() || m.by.session != sc.Session.String():
		return false
	case sc.Turn == 0:
		return true
	}
	return m.step < len(st.steps) && st.steps[m.step].turn == sc.Turn && st.steps[m.step].session == m.by.session
}

// stand is a list of moves after an act, in order.
func stand(now []int, did standingAct) []int {
	out := make([]int, 0, len(now)+len(did.back))
	for _, m := range now {
		if !slices.Contains(did.gone, m) {
			out = append(out, m)
		}
	}
	for _, m := range did.back {
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	slices.Sort(out)
	return out
}

// threeWay makes the change from base to theirs in ours. ok is false where that
// cannot be done without a decision.
type threeWay func(base, ours, theirs stood) (out stood, ok bool, err error)

// clash is where a change could not be taken back or made again.
type clash struct{ base, ours, theirs stood }

// reach is the version with other changes standing. merged tells that it never was
// in the worktree as such. A clash leaves the file to a decision.
func (st *story) reach(did standingAct, merge threeWay) (to stood, merged bool, c *clash, err error) {
	now := st.standing[len(st.standing)-1]
	want := stand(now, did)
	for i := len(st.standing) - 1; i >= 0; i-- {
		if slices.Equal(st.standing[i], want) && !st.made(i) {
			return st.values[i], false, nil, nil
		}
	}
	to = st.values[len(st.values)-1]
	step := func(base, theirs stood) error {
		out, ok, err := merge(base, to, theirs)
		if err == nil && !ok {
			c = &clash{base, to, theirs}
		}
		if ok {
			to = out
		}
		return err
	}
	gone := st.runs(now, did.gone)
	for i := len(gone) - 1; i >= 0 && c == nil && err == nil; i-- {
		err = step(gone[i].to, gone[i].from)
	}
	for _, run := range st.runs(want, did.back) {
		if c == nil && err == nil {
			err = step(run.from, run.to)
		}
	}
	return to, true, c, err
}

// made reports a version that a rewind left: it may have markers in it, or have
// been decided otherwise, and is not what stands for its changes.
func (st *story) made(i int) bool {
	for ; i > 0; i-- {
		if _, act := st.acts[i-1]; act {
			return true
		}
		if st.values[i] != st.values[i-1] {
			return false
		}
	}
	return false
}

// runs joins chosen moves that follow each other in a list, one going on where the
// other ended.
func (st *story) runs(list, chosen []int) []fileMove {
	var out []fileMove
	last := -2
	for i, m := range list {
		if !slices.Contains(chosen, m) {
			continue
		}
		move := st.moves[m]
		if n := len(out); n > 0 && last == i-1 && out[n-1].to == move.from {
			out[n-1].to = move.to
		} else {
			out = append(out, move)
		}
		last = i
	}
	return out
}

// mergeFiles is a three-way merge of whole files: content, mode and kind. texts
// merges the contents of regular files, and says whether that went without a
// conflict.
func mergeFiles(base, ours, theirs stood, texts func(base, ours, theirs git.OID) (git.OID, bool, error)) (stood, bool, error) {
	switch {
	case theirs == base || ours == theirs:
		return ours, true, nil
	case ours == base:
		return theirs, true, nil
	case !base.plain() || !ours.plain() || !theirs.plain():
		return ours, false, nil
	}
	out := ours
	if ours.Mode == base.Mode {
		out.Mode = theirs.Mode
	}
	switch {
	case ours.OID == base.OID:
		out.OID = theirs.OID
	case theirs.OID != base.OID && theirs.OID != ours.OID:
		oid, ok, err := texts(base.OID, ours.OID, theirs.OID)
		if err != nil || !ok {
			return ours, false, err
		}
		out.OID = oid
	}
	return out, true, nil
}
