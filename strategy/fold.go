package strategy

import (
	"slices"

	"entire/checkpoint"
	"entire/internal/git"
)

// Who made a change, as plans show it. whoSession, whoRewind and whoHead are shown in other words
// or not at all.
const (
	whoPerson  = "person"
	whoThis    = "this session"
	whoMixed   = "mixed"
	whoUnknown = "unknown"
	whoSession = "session"
	whoRewind  = "rewind" // a rewind to a step that is not known
	whoHead    = "head"   // the worktree followed a move of HEAD
)

// maker is who made a change of a file, as far as it is known.
type maker struct {
	who     string
	session string   // for whoSession
	among   []string // for whoMixed and whoUnknown: the sessions active then
}

// maybe reports whether the change is, or may be, the session's.
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

// foldStep is what the histories of all files need to know of a step.
type foldStep struct {
	session string
	turn    int
	rewind  *rewindAct // nil for a step that no rewind wrote
}

// rewindAct is what a rewind did to the changes before it.
type rewindAct struct {
	target int // the step that was the rewind's target, noStep if it is not known
	scope  checkpoint.StepScope
	undoes int // the step of the rewind that an undo or a redo reverses, noStep for none
}

const (
	noStep   = -1
	lostStep = -2 // a rewind's step that is not known
)

// story is the history of one file through the steps: its versions, the changes between them, and
// which changes are active after each step. A rewind makes changes inactive, and its undo makes
// them active again.
type story struct {
	values   []stood // before the first step, after each step, and now
	moves    []fileMove
	standing [][]int // indexes of the active moves, in order, for each of values
	acts     map[int]standingAct
	steps    []foldStep
}

type standingAct struct{ gone, back []int }

// tellStory builds a history from a file's versions. by returns the author of a step's change,
// and movedTo the version to which a move of HEAD before the step changed the version before.
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

// rewound returns the active changes after a rewind's step that has changed the file.
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

// choice returns the changes that a rewind of a scope to a step makes inactive, and those that it
// makes active again because an earlier rewind had reversed them.
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

// filter returns the changes of a list that are in scope and not in the other list.
func (st *story) filter(list, not []int, sc checkpoint.StepScope) []int {
	var out []int
	for _, m := range list {
		if !slices.Contains(not, m) && st.isOf(st.moves[m], sc) {
			out = append(out, m)
		}
	}
	return out
}

// isOf reports whether a change is in a rewind's scope.
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

// stand returns a list of changes after a rewind, in order.
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

// threeWay makes the change from base to theirs in ours. ok is false if that needs a decision.
type threeWay func(base, ours, theirs stood) (out stood, ok bool, err error)

// clash is where a change could not be reversed or made again.
type clash struct{ base, ours, theirs stood }

// reach returns the file's version after the changes did.gone are reversed and did.back are made
// again. merged is true if the worktree never had this version. With a clash, a person must
// decide.
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

// made reports a version that a rewind wrote. It may hold conflict markers or a person's
// decision, so it does not represent its active changes.
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

// runs joins chosen changes that follow each other in a list, where one begins with the version
// that the other ended with.
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

// mergeFiles merges whole files: content, mode and kind. texts merges the contents of regular
// files, and returns false for a conflict.
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
