package rewind

import (
	"slices"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// Who made a change, as plans show it. WhoSession, whoRewind and whoHead are shown in other words
// or not at all.
const (
	WhoPerson  = "person"
	whoThis    = "this session"
	whoMixed   = "mixed"
	whoUnknown = "unknown"
	WhoSession = "session"
	whoRewind  = "rewind" // a rewind to a step that is not known
	whoHead    = "head"   // the worktree followed a move of HEAD
)

// ChangeAuthor is who made a change of a file, as far as it is known.
type ChangeAuthor struct {
	Who        string
	Session    string   // for WhoSession
	candidates []string // for whoMixed and whoUnknown: the sessions active then
}

// mayBe reports whether the change is, or may be, the session's.
func (m ChangeAuthor) mayBe(session string) bool {
	return m.Who == WhoSession && m.Session == session || slices.Contains(m.candidates, session)
}

func (m ChangeAuthor) isKnown() bool { return m.Who != whoMixed && m.Who != whoUnknown }

// historyChange is a change of one file from one version to another.
type historyChange struct {
	from, to sessionstate.FileVersion
	by       ChangeAuthor
	step     int
}

// HistoryStep is what the histories of all files need to know of a step.
type HistoryStep struct {
	Session string
	turn    int
	Rewind  *Effect // nil for a step that no rewind wrote
}

// Effect is what a rewind did to the changes before it.
type Effect struct {
	Target int // the step that was the rewind's target, NoStep if it is not known
	Scope  shadow.StepScope
	Undoes int // the step of the rewind that an undo or a redo reverses, NoStep for none
}

const (
	NoStep   = -1
	lostStep = -2 // a rewind's step that is not known
)

// FileHistory is the history of one file through the steps: its versions, the changes between them, and
// which changes are active after each step. A rewind makes changes inactive, and its undo makes
// them active again.
type FileHistory struct {
	versions      []sessionstate.FileVersion // before the first step, after each step, and now
	changes       []historyChange
	ActiveChanges [][]int // indexes of the active moves, in order, for each of values
	rewinds       map[int]changeSet
	steps         []HistoryStep
}

type changeSet struct{ gone, back []int }

// NewFileHistory builds a history from a file's versions. by returns the author of a step's change,
// and movedTo the version to which a move of HEAD before the step changed the version before.
func NewFileHistory(values []sessionstate.FileVersion, steps []HistoryStep, by func(int) ChangeAuthor, movedTo func(int) (sessionstate.FileVersion, bool)) FileHistory {
	st := FileHistory{versions: values, steps: steps, rewinds: map[int]changeSet{}, ActiveChanges: [][]int{nil}}
	var now []int
	for i, is := range values[1:] {
		was := values[i]
		if mid, moved := movedTo(i); moved && mid != was {
			now = append(slices.Clip(now), st.addChange(was, mid, ChangeAuthor{Who: whoHead}, i))
			was = mid
		}
		switch {
		case is == was:
		case i < len(steps) && steps[i].Rewind != nil:
			now = st.afterRewind(i, was, is, now)
		default:
			now = append(slices.Clip(now), st.addChange(was, is, by(i), i))
		}
		st.ActiveChanges = append(st.ActiveChanges, now)
	}
	return st
}

func (st *FileHistory) addChange(from, to sessionstate.FileVersion, by ChangeAuthor, step int) int {
	st.changes = append(st.changes, historyChange{from, to, by, step})
	return len(st.changes) - 1
}

// afterRewind returns the active changes after a rewind's step that has changed the file.
func (st *FileHistory) afterRewind(i int, was, is sessionstate.FileVersion, now []int) []int {
	act := st.steps[i].Rewind
	did := changeSet{}
	switch before, known := st.rewinds[act.Undoes]; {
	case act.Undoes != NoStep && known:
		did = changeSet{gone: before.back, back: before.gone}
	case act.Undoes != NoStep, act.Target == NoStep && act.Scope.Turn == 0:
		return append(slices.Clip(now), st.addChange(was, is, ChangeAuthor{Who: whoRewind}, i))
	default:
		did = st.SelectChanges(act.Scope, act.Target, now)
	}
	st.rewinds[i] = did
	return withChangeSet(now, did)
}

// SelectChanges returns the changes that a rewind of a scope to a step makes inactive, and those that it
// makes active again because an earlier rewind had reversed them.
func (st *FileHistory) SelectChanges(sc shadow.StepScope, target int, now []int) changeSet {
	if sc.Turn > 0 {
		return changeSet{gone: st.filter(now, nil, sc)}
	}
	var then []int
	if target != NoStep {
		then = st.ActiveChanges[target+1]
	}
	return changeSet{gone: st.filter(now, then, sc), back: st.filter(then, now, sc)}
}

// filter returns the changes of a list that are in scope and not in the other list.
func (st *FileHistory) filter(list, not []int, sc shadow.StepScope) []int {
	var out []int
	for _, m := range list {
		if !slices.Contains(not, m) && st.inScope(st.changes[m], sc) {
			out = append(out, m)
		}
	}
	return out
}

// inScope reports whether a change is in a rewind's scope.
func (st *FileHistory) inScope(m historyChange, sc shadow.StepScope) bool {
	switch {
	case slices.ContainsFunc(sc.Excluded, m.by.mayBe):
		return false
	case sc.All:
		return true
	case sc.Agents:
		return m.by.Who == WhoSession
	case sc.Session.IsZero() || m.by.Session != sc.Session.String():
		return false
	case sc.Turn == 0:
		return true
	}
	return m.step < len(st.steps) && st.steps[m.step].turn == sc.Turn && st.steps[m.step].Session == m.by.Session
}

// withChangeSet returns a list of changes after a rewind, in order.
func withChangeSet(now []int, did changeSet) []int {
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
type threeWay func(base, ours, theirs sessionstate.FileVersion) (out sessionstate.FileVersion, ok bool, err error)

// mergeClash is where a change could not be reversed or made again.
type mergeClash struct{ base, ours, theirs sessionstate.FileVersion }

// VersionWith returns the file's version after the changes did.gone are reversed and did.back are made
// again. merged is true if the worktree never had this version. With a clash, a person must
// decide.
func (st *FileHistory) VersionWith(did changeSet, merge threeWay) (to sessionstate.FileVersion, merged bool, c *mergeClash, err error) {
	now := st.ActiveChanges[len(st.ActiveChanges)-1]
	want := withChangeSet(now, did)
	for i := len(st.ActiveChanges) - 1; i >= 0; i-- {
		if slices.Equal(st.ActiveChanges[i], want) && !st.leftByRewind(i) {
			return st.versions[i], false, nil, nil
		}
	}
	to = st.versions[len(st.versions)-1]
	step := func(base, theirs sessionstate.FileVersion) error {
		out, ok, err := merge(base, to, theirs)
		if err == nil && !ok {
			c = &mergeClash{base, to, theirs}
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

// leftByRewind reports a version that a rewind wrote. It may hold conflict markers or a person's
// decision, so it does not represent its active changes.
func (st *FileHistory) leftByRewind(i int) bool {
	for ; i > 0; i-- {
		if _, act := st.rewinds[i-1]; act {
			return true
		}
		if st.versions[i] != st.versions[i-1] {
			return false
		}
	}
	return false
}

// runs joins chosen changes that follow each other in a list, where one begins with the version
// that the other ended with.
func (st *FileHistory) runs(list, chosen []int) []historyChange {
	var out []historyChange
	last := -2
	for i, m := range list {
		if !slices.Contains(chosen, m) {
			continue
		}
		move := st.changes[m]
		if n := len(out); n > 0 && last == i-1 && out[n-1].to == move.from {
			out[n-1].to = move.to
		} else {
			out = append(out, move)
		}
		last = i
	}
	return out
}

// MergeFiles merges whole files: content, mode and kind. texts merges the contents of regular
// files, and returns false for a conflict.
func MergeFiles(base, ours, theirs sessionstate.FileVersion, texts func(base, ours, theirs git.OID) (git.OID, bool, error)) (sessionstate.FileVersion, bool, error) {
	switch {
	case theirs == base || ours == theirs:
		return ours, true, nil
	case ours == base:
		return theirs, true, nil
	case !Regular(base) || !Regular(ours) || !Regular(theirs):
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
