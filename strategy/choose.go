package strategy

import (
	"slices"
	"sort"

	"entire/internal/git"
)

// work is what one session has done that no commit holds yet.
type work struct {
	session string
	base    git.OID // what its steps are on top of

	// touched are the paths that its steps changed, and left what the worktree
	// had there at the last step, anybody's; what is as in HEAD again is missing.
	touched map[string]bool
	left    map[string]fileState

	strict strictness
	undone []undone // commits that a reset took back: what stands there may be of theirs

	// active and the rest describe a turn in progress, of which no step tells.
	active   bool
	began    fileStates      // the worktree when the turn began, relative to beganOn
	beganOn  git.OID         // HEAD at that time
	edited   map[string]bool // paths its edit tools named in this turn
	outside  bool            // and others, which are not in the worktree
	reach    reach           // what other calls of the turn may have written
	commits  bool            // a call of its is open that may make the commit
	beside   bool            // its agent says that subagents work in the background
	told     bool            // its transcript tells what it does
	took     bool            // and may have brought what others had written
	heard    bool            // its transcript tells of all calls, and could be read
	evidence bool            // its transcript was readable and shows tool calls
	lastSeen int64
}

// strictness says how much of a session's work has to be seen in a commit.
type strictness int

const (
	loose   strictness = iota
	merging            // it brings the content of other commits along: what is not seen does not count
	passing            // besides, git itself may have merged: an open shell proves nothing
)

// versions tells how files went and compares what stood in them. It says no where
// it cannot tell.
type versions interface {
	// own are a session's changes to a path, oldest first. overtaken says that
	// somebody's step changed the path after the last of them: a person's only
	// if it took that one back.
	own(w work, path string) (spells []spell, overtaken bool)
	// related: two versions of a new file are the same work, or one has a line of
	// the other's that can be known by itself.
	related(path string, session, committed git.OID) bool
	// holds: something of what led from one version to the other is in now, and
	// was not in base.
	holds(s spell, base, now git.OID) bool
	// renamed: a new file is one that the session made, under another name.
	renamed(w work, c git.Change) bool
	// waits: something of the change stands uncommitted in the worktree's file,
	// or in a stash.
	waits(s spell, committed git.OID) bool
}

// spell is one change of a path: by a step, or by a commit.
type spell struct{ from, to fileState }

// committer is who makes a commit, as far as the process around it tells.
type committer struct {
	person bool // somebody sits at a terminal
	agent  bool // it is the shell of an agent
}

// chooseSessions decides whose work is in a commit that changes staged. A change made
// during a turn counts as the agent's only on evidence, unless an agent makes the commit,
// or nobody is known to and the session's transcript does not tell. The result is sorted.
func chooseSessions(staged []git.Change, sessions []work, by committer, ver versions) []string {
	var out []string
	var candidates []work // active, without evidence either way
	for _, w := range sessions {
		switch {
		case w.owns(staged, sessions, ver), w.active && w.provenInTurn(staged):
			out = append(out, w.session)
		case w.unseenBy(by) && w.strict == loose && w.changedInTurn(staged):
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

// unseenBy reports a session in mid-turn whose transcript does not show yet what it does,
// and that may be who commits.
func (w work) unseenBy(by committer) bool {
	return w.active && !w.evidence && (by.agent || !w.heard && !by.person)
}

// unowned are the changes that hold nothing of the chosen sessions' steps.
func unowned(staged []git.Change, sessions []work, chosen []string, ver versions) []git.Change {
	var out []git.Change
	for _, c := range staged {
		owned := false
		for _, w := range sessions {
			owned = owned || slices.Contains(chosen, w.session) && w.owns([]git.Change{c}, sessions, ver)
		}
		if !owned {
			out = append(out, c)
		}
	}
	return out
}

// owns reports whether the commit holds something of the session's steps.
func (w work) owns(staged []git.Change, others []work, ver versions) bool {
	for _, c := range staged {
		if w.touched[c.Path] && w.has(c, others, ver) {
			return true
		}
		if w.renamed(c, ver) {
			return true
		}
	}
	return false
}

// renamed reports whether a commit's new file is one of the session's under another
// name, of which no step tells.
func (w work) renamed(c git.Change, ver versions) bool {
	return c.OldMode == 0 && c.NewMode != 0 && !w.touched[c.Path] && w.strict != passing && ver.renamed(w, c)
}

// has decides it for one path that the session touched. What stands there as the
// last step left it is the work of whoever alone touched it, unless a commit that was
// undone had just that; else the session's own changes decide. They always do where the file is
// gone: nothing of the session's work is in what a person has removed.
func (w work) has(c git.Change, others []work, ver versions) bool {
	left, standing := w.left[c.Path]
	exact := standing && left.sameContent(c.NewMode, c.New)
	if exact && c.NewMode != 0 && !anyHad(w.undone, c) && !shared(c.Path, w, others) {
		return true
	}
	spells, overtaken := ver.own(w, c.Path)
	if len(spells) == 0 {
		if !standing {
			return false
		}
		spells = []spell{{fileState{c.Path, c.OldMode, c.Old}, left}}
	}
	for _, s := range slices.Backward(spells) {
		if s.isIn(c, ver) {
			return true
		}
	}
	return w.strict == loose && !overtaken && !w.outdone(c.Path, others) && spells[len(spells)-1].replaced(c, ver)
}

// outdone reports that another session has worked at a path since, on another
// commit, where nothing of this work lay: its steps would be below the other's.
func (w work) outdone(path string, others []work) bool {
	return slices.ContainsFunc(others, func(o work) bool {
		return o.session != w.session && o.base != w.base && o.lastSeen > w.lastSeen && (o.touched[path] || o.edited[path])
	})
}

// lacks reports whether the last step has nothing of what the session did to a
// path: it lies in a stash, or was thrown away. Something else may be there by now.
func (w work) lacks(path string, ver versions) bool {
	if _, standing := w.left[path]; standing {
		return false
	}
	spells, _ := ver.own(w, path)
	return len(spells) > 0
}

// found reports whether a commit has a file as the session found it: what it did
// there was thrown away without a step that tells.
func (w work) found(c git.Change, ver versions) bool {
	if left, standing := w.left[c.Path]; standing && left.mode == c.NewMode && left.oid == c.New {
		return false // as its last step left it, as nearly always: no step need be read
	}
	spells, _ := ver.own(w, c.Path)
	return len(spells) > 0 && spells[0].from.mode == c.NewMode && spells[0].from.oid == c.New
}

func shared(path string, w work, others []work) bool {
	for _, o := range others {
		if o.session != w.session && (o.touched[path] || o.edited[path]) {
			return true
		}
	}
	return false
}

// isIn reports whether the change of a commit shows something of this one.
func (s spell) isIn(c git.Change, ver versions) bool {
	switch {
	case c.NewMode == 0 || s.to.mode == 0:
		return c.NewMode == s.to.mode && s.from.mode != 0 // both removed it
	case s.to.oid == s.from.oid: // the mode alone
		return c.NewMode == s.to.mode && c.OldMode != s.to.mode
	case s.to.sameContent(c.NewMode, c.New):
		return true
	case s.from.sameContent(c.NewMode, c.New):
		return false // all that stood there before, and nothing else
	case s.from.mode == 0 && c.OldMode == 0: // a new file, moded or edited since
		return s.to.oid == c.New || ver.related(c.Path, s.to.oid, c.New)
	}
	return s.to.oid == c.New && c.Old != c.New || ver.holds(s, c.Old, c.New)
}

// replaced reports whether a tracked file is committed in a version that shows
// nothing of the change, but not because the change was left out: a person has
// rewritten it.
func (s spell) replaced(c git.Change, ver versions) bool {
	switch {
	case c.OldMode == 0, c.NewMode == 0, s.to.mode == 0, s.to.oid == s.from.oid, s.from.sameContent(c.NewMode, c.New):
		return false
	}
	return !ver.waits(s, c.New) && !ver.holds(s, s.from.oid, c.Old) // HEAD has it already
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

// provenInTurn reports whether the transcript shows the commit to be the agent's: it
// edited one of the paths in this turn, or made a call that may have written it, or one is
// open that may make the commit.
func (w work) provenInTurn(staged []git.Change) bool {
	for _, c := range staged {
		if (w.commits && w.strict != passing || w.strict == loose && w.reach.may(c.Path) || w.edited[c.Path]) && !w.stoodBefore(c) {
			return true
		}
	}
	return false
}

// didInTurn reports whether a change is the work of the turn in progress: not there
// before it, and shown to be the agent's, or possibly done by who commits.
func (w work) didInTurn(c git.Change, by committer) bool {
	return !w.stoodBefore(c) && (w.edited[c.Path] || w.commits || w.reach.may(c.Path) || w.unseenBy(by))
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
