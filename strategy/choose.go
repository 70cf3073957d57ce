package strategy

import (
	"slices"
	"sort"

	"entire/internal/git"
)

// work is what one session has done that no commit holds yet.
type work struct {
	session string

	// left is what the session's last step left at each path it touched; a
	// path it touched that is as in HEAD again is missing.
	left map[string]fileState

	// stale is what its last step left at paths that are no longer so in the
	// worktree. It counts only if the commit shows something of it; strictly,
	// that goes for left too.
	stale  map[string]fileState
	strict bool

	// active and the rest describe a turn in progress, of which no step tells.
	active   bool
	began    fileStates      // the worktree when the turn began, relative to beganOn
	beganOn  git.OID         // HEAD at that time
	edited   map[string]bool // paths its edit tools named in this turn
	shell    bool            // a shell call of its is open
	evidence bool            // its transcript was readable and shows tool calls
	lastSeen int64
}

// versions compares what stands in a file at different times. It is asked only
// where the object IDs differ, and says no where it cannot tell.
type versions interface {
	// related: two versions of a new file are the same work.
	related(session, committed git.OID) bool
	// holds: something of what the session changed in base is in the commit.
	holds(base, session, committed git.OID) bool
	// waits: the session's change to base still stands at path in the worktree,
	// or in a stash.
	waits(path string, base git.OID, session fileState) bool
}

// chooseSessions decides whose work is in a commit that changes staged. person
// says that somebody sits at a terminal: a change made during a turn then
// counts as the agent's only on evidence. The result is sorted.
func chooseSessions(staged []git.Change, sessions []work, person bool, ver versions) []string {
	var out []string
	var candidates []work // active, without evidence either way
	for _, w := range sessions {
		switch {
		case w.owns(staged, ver), w.active && w.provenInTurn(staged):
			out = append(out, w.session)
		case w.active && !w.strict && !person && !w.evidence && w.changedInTurn(staged):
			candidates = append(candidates, w)
		}
	}
	if len(candidates) > 0 {
		sort.Slice(candidates, func(i, j int) bool { return candidates[i].lastSeen > candidates[j].lastSeen })
		if candidates[0].changedInTurn(unowned(staged, sessions, out, ver)) {
			out = append(out, candidates[0].session)
		}
	}
	sort.Strings(out)
	return out
}

// unowned are the changes that hold nothing of the chosen sessions' steps.
func unowned(staged []git.Change, sessions []work, chosen []string, ver versions) []git.Change {
	var out []git.Change
	for _, c := range staged {
		owned := false
		for _, w := range sessions {
			owned = owned || slices.Contains(chosen, w.session) && w.owns([]git.Change{c}, ver)
		}
		if !owned {
			out = append(out, c)
		}
	}
	return out
}

// owns reports whether the commit holds something of the session's steps.
func (w work) owns(staged []git.Change, ver versions) bool {
	for _, c := range staged {
		if left, ok := w.left[c.Path]; ok && left.isIn(c, ver, w.strict) {
			return true
		}
		if stale, ok := w.stale[c.Path]; ok && stale.isIn(c, ver, true) {
			return true
		}
	}
	return false
}

// isIn reports whether a change of the commit holds what a session left at its
// path. A tracked file that the commit holds in another version counts where
// the session's change is not simply left out of it; strictly, only where
// something of it is seen.
func (f fileState) isIn(c git.Change, ver versions, strict bool) bool {
	switch {
	case c.NewMode == 0 || f.mode == 0:
		return c.NewMode == f.mode // both removed it; else somebody else's doing
	case f.sameContent(c.NewMode, c.New):
		return true
	case c.OldMode == 0: // a new file, moded or edited since
		return f.oid == c.New || ver.related(f.oid, c.New)
	case f.oid == c.Old: // the session changed the mode alone, or HEAD has its work
		return f.mode == c.NewMode && f.mode != c.OldMode
	}
	return f.oid == c.New || ver.holds(c.Old, f.oid, c.New) || !strict && !ver.waits(c.Path, c.Old, f)
}

// changedInTurn reports whether the commit holds anything that was not so when
// the turn began.
func (w work) changedInTurn(staged []git.Change) bool {
	for _, c := range staged {
		if !w.stoodBefore(c) {
			return true
		}
	}
	return false
}

// stoodBefore reports whether the worktree had the committed content already
// when the turn began: a person's change.
func (w work) stoodBefore(c git.Change) bool {
	f, ok := w.began.find(c.Path)
	return ok && f.sameContent(c.NewMode, c.New)
}

// provenInTurn reports whether the transcript shows the commit to be the
// agent's: it edited one of the paths in this turn, or it is running a shell.
func (w work) provenInTurn(staged []git.Change) bool {
	for _, c := range staged {
		if (w.shell && !w.strict || w.edited[c.Path]) && !w.stoodBefore(c) {
			return true
		}
	}
	return false
}

// didInTurn reports whether a change is the work of the turn in progress: not
// there before it, and, where a person is committing, shown to be the agent's.
func (w work) didInTurn(c git.Change, person bool) bool {
	return !w.stoodBefore(c) && (w.edited[c.Path] || w.shell || !person)
}

// carried is what remains of the last step after a commit: paths whose content
// there is neither in the commit nor superseded by what the worktree now holds
// as committed. onDisk says whether the worktree's file equals the commit's.
func carried(step []git.Change, committed func(path string) (mode uint32, oid git.OID), onDisk func(path string) bool) fileStates {
	var out []fileState
	for _, c := range step {
		mode, oid := committed(c.Path)
		if c.NewMode == mode && c.New == oid {
			continue
		}
		if onDisk(c.Path) {
			continue
		}
		out = append(out, fileState{path: c.Path, mode: c.NewMode, oid: c.New})
	}
	return sortStates(out)
}
