package strategy

import (
	"slices"
	"sort"

	"entire/internal/git"
)

// work is what one session has done that no commit holds yet, and what shows who did it.
type work struct {
	session string
	base    git.OID // commit on which its steps are based

	// touched are the paths that its steps changed; left are the versions that the worktree had there
	// at the last step, whoever wrote them. A path that is as in HEAD again is missing.
	touched map[string]bool
	left    map[string]fileState

	strict strictness
	undone []undone // commits that a reset removed: the worktree may still have their content

	// active and the fields below describe an open turn, which no step shows yet.
	active   bool
	began    fileStates      // the worktree when the turn began, relative to beganOn
	beganOn  git.OID         // HEAD when the turn began
	edited   map[string]bool // paths its edit tools named in this turn
	outside  bool            // and files outside the worktree
	reach    reach           // what other calls of the turn may have written
	commits  bool            // a call of the session is open that may make the commit
	beside   bool            // its agent says that background subagents are active
	told     bool            // its transcript shows all tool calls of the turn
	took     bool            // a call may have imported foreign content through git
	heard    bool            // its transcript was readable, and its agent records all calls
	evidence bool            // its transcript was readable and shows tool calls
	lastSeen int64
}

// strictness says how much of a session's work must be in a commit for the commit to hold it.
type strictness int

const (
	loose   strictness = iota
	merging            // the commit brings content of other commits: only work that is seen counts
	passing            // as merging; git itself may have merged, so an open shell call proves nothing
)

// versions compares versions of files and tells how they changed. Its methods return false where
// they cannot tell.
type versions interface {
	// own returns a session's changes to a path, oldest first. superseded is true if a later step of
	// somebody else changed the path; a person's step counts only if it took the session's change
	// back.
	own(w work, path string) (changes []spell, superseded bool)
	// related reports whether two versions of a new file are the same work, or one has a distinctive
	// line of the other.
	related(path string, session, committed git.OID) bool
	// holds reports whether now has some of the change s that base has not.
	holds(s spell, base, now git.OID) bool
	// renamed reports whether a new file is one that the session made under another name.
	renamed(w work, c git.Change) bool
	// waits reports whether some of the change is uncommitted in the worktree's file or in a stash.
	waits(s spell, committed git.OID) bool
}

// spell is one change of a path, by a step or by a commit.
type spell struct{ from, to fileState }

// committer is who makes a commit, as far as the process shows.
type committer struct {
	person bool // a person is at a terminal
	agent  bool // the process runs in an agent's shell
}

// chooseSessions decides whose work is in a commit that changes staged. A change made during a
// turn counts as the agent's only if evidence shows it, if an agent makes the commit, or if
// nobody is known to make it and the session's transcript is not readable. The result is sorted.
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

// unseenBy reports a session in the middle of a turn that may make the commit and whose
// transcript does not show yet what it does.
func (w work) unseenBy(by committer) bool {
	return w.active && !w.evidence && (by.agent || !w.heard && !by.person)
}

// unowned returns the changes that hold nothing of the chosen sessions' steps.
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

// renamed reports whether a new file of the commit is one that the session made under another
// name, without a step that shows the renaming.
func (w work) renamed(c git.Change, ver versions) bool {
	return c.OldMode == 0 && c.NewMode != 0 && !w.touched[c.Path] && w.strict != passing && ver.renamed(w, c)
}

// has reports whether the change of one path that the session touched holds some of its work. A
// version as the last step left it is the work of the only session that touched the path, unless
// an undone commit had just that version; otherwise the session's own changes decide. They always
// decide for a removed file, because a person's removal holds nothing of the session's work.
func (w work) has(c git.Change, others []work, ver versions) bool {
	last, present := w.left[c.Path]
	exact := present && last.sameContent(c.NewMode, c.New)
	if exact && c.NewMode != 0 && !anyHad(w.undone, c) && !shared(c.Path, w, others) {
		return true
	}
	changes, superseded := ver.own(w, c.Path)
	if len(changes) == 0 {
		if !present {
			return false
		}
		changes = []spell{{fileState{c.Path, c.OldMode, c.Old}, last}}
	}
	for _, s := range slices.Backward(changes) {
		if s.isIn(c, ver) {
			return true
		}
	}
	return w.strict == loose && !superseded && !w.outdone(c.Path, others) && changes[len(changes)-1].replaced(c, ver)
}

// outdone reports whether another session has worked at a path later, on another commit, so that
// this work is superseded: its steps would lie below the other session's.
func (w work) outdone(path string, others []work) bool {
	return slices.ContainsFunc(others, func(o work) bool {
		return o.session != w.session && o.base != w.base && o.lastSeen > w.lastSeen && (o.touched[path] || o.edited[path])
	})
}

// lacks reports whether the last step has nothing of what the session did to a path: a stash
// holds it, or it was thrown away. The path may hold other content by now.
func (w work) lacks(path string, ver versions) bool {
	if _, present := w.left[path]; present {
		return false
	}
	changes, _ := ver.own(w, path)
	return len(changes) > 0
}

// found reports whether a commit has a file as the session found it, so that the session's change
// was thrown away without a step that shows it.
func (w work) found(c git.Change, ver versions) bool {
	if last, present := w.left[c.Path]; present && last.mode == c.NewMode && last.oid == c.New {
		return false // as the last step left it, which is the usual case: no step is read
	}
	changes, _ := ver.own(w, c.Path)
	return len(changes) > 0 && changes[0].from.mode == c.NewMode && changes[0].from.oid == c.New
}

// shared reports whether another session has touched or edited the path.
func shared(path string, w work, others []work) bool {
	for _, o := range others {
		if o.session != w.session && (o.touched[path] || o.edited[path]) {
			return true
		}
	}
	return false
}

// isIn reports whether the change of a commit holds some of this change.
func (s spell) isIn(c git.Change, ver versions) bool {
	switch {
	case c.NewMode == 0 || s.to.mode == 0:
		return c.NewMode == s.to.mode && s.from.mode != 0 // both removed it
	case s.to.oid == s.from.oid: // the mode alone
		return c.NewMode == s.to.mode && c.OldMode != s.to.mode
	case s.to.sameContent(c.NewMode, c.New):
		return true
	case s.from.sameContent(c.NewMode, c.New):
		return false // the earlier content and nothing else
	case s.from.mode == 0 && c.OldMode == 0: // a new file, whose mode or content has changed since
		return s.to.oid == c.New || ver.related(c.Path, s.to.oid, c.New)
	}
	return s.to.oid == c.New && c.Old != c.New || ver.holds(s, c.Old, c.New)
}

// replaced reports whether a tracked file is committed in a version without anything of the
// change because a person has rewritten it, and not because the change was left out.
func (s spell) replaced(c git.Change, ver versions) bool {
	switch {
	case c.OldMode == 0, c.NewMode == 0, s.to.mode == 0, s.to.oid == s.from.oid, s.from.sameContent(c.NewMode, c.New):
		return false
	}
	return !ver.waits(s, c.New) && !ver.holds(s, s.from.oid, c.Old) // HEAD has it already
}

// changedInTurn reports whether the commit holds a change that the worktree did not have when the
// turn began.
func (w work) changedInTurn(staged []git.Change) bool {
	for _, c := range staged {
		if !w.stoodBefore(c) {
			return true
		}
	}
	return false
}

// stoodBefore reports whether the worktree had the committed content when the turn began, which
// makes it a person's change.
func (w work) stoodBefore(c git.Change) bool {
	f, ok := w.began.find(c.Path)
	return ok && f.sameContent(c.NewMode, c.New)
}

// provenInTurn reports whether the transcript proves that the commit holds the agent's work: the
// agent edited one of its paths in this turn, made a call that may have written one, or has a
// call open that may make the commit.
func (w work) provenInTurn(staged []git.Change) bool {
	for _, c := range staged {
		if (w.commits && w.strict != passing || w.strict == loose && w.reach.may(c.Path) || w.edited[c.Path]) && !w.stoodBefore(c) {
			return true
		}
	}
	return false
}

// didInTurn reports whether a change is the work of the open turn: it was not there before the
// turn, and the transcript shows it, or who commits may have made it.
func (w work) didInTurn(c git.Change, by committer) bool {
	return !w.stoodBefore(c) && (w.edited[c.Path] || w.commits || w.reach.may(c.Path) || w.unseenBy(by))
}

// carried returns the part of the last step that remains after a commit: the paths whose content
// is neither in the commit nor superseded by what the worktree has. onDisk reports whether the
// worktree's file equals the commit's.
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
