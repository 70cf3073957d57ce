package evidence

import (
	"slices"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// Own returns the session's changes to path, oldest first, and whether a later step superseded
// the last one.
func (e *evidence) Own(w transcript.SessionWork, path string) (changes []githead.FileChange, superseded bool) {
	chain := e.StepsOn(w.Base)
	if len(chain) == 0 {
		return nil, false
	}
	base := chain[0].Info.Base
	if base.IsZero() {
		base = w.Base
	}
	trees := []git.OID{e.originTree(base)}
	for _, st := range chain {
		trees = append(trees, st.Tree)
	}
	states, ok := e.versionsIn(trees, path)
	if !ok {
		return nil, false
	}
	was := states[0]
	var concurrent []concurrentChange
	for i, st := range chain {
		is := states[i+1]
		if b := st.Info.Base; b != base && !b.IsZero() {
			was, base = e.afterHeadMove(base, b, was, is, path), b
		}
		mine := IsBy(st, w.Session)
		if mine {
			mine = !carriedForAnother(w.Session, chain, states, i)
			during := concurrentChangesIn(concurrent, chain, st)
			changes, concurrent = append(changes, during...), nil
			superseded = superseded && (len(during) == 0 || during[len(during)-1].To != is)
		}
		last := len(changes) - 1
		switch {
		case is == was:
		case mine && !e.existedAtTurnStart(st, chain, is):
			changes, superseded = append(changes, githead.FileChange{From: e.foundAtTurnStart(st, chain, was, is), To: is}), false
		case mine:
		case st.Info.Kind != shadow.StepHuman && st.Info.Kind != shadow.StepMixed:
			superseded = true
		case last >= 0 && is == changes[last].From: // discarded
			superseded = true
		case last >= 0 && is == changes[last].To:
			superseded = false
		}
		if is != was && (st.Info.Kind == shadow.StepMixed || !mine && e.unclaimed(st, path)) {
			concurrent = append(concurrent, concurrentChange{githead.FileChange{From: was, To: is}, i})
		}
		was = is
	}
	return changes, superseded && len(changes) > 0
}

// afterHeadMove returns the version of a file after HEAD moved from one commit to another, where it was one version before
// and a step found another: changes that came with the move have no author.
func (e *evidence) afterHeadMove(from, to git.OID, was, found sessionstate.PathVersion, path string) sessionstate.PathVersion {
	before, _ := e.VersionAt(e.TreeOf(from), path)
	after, known := e.VersionAt(e.TreeOf(to), path)
	if known && was == before && found != was {
		return after
	}
	return was // the worktree did not follow the move
}

// carriedForAnother reports whether chain[i] carries forward the work of several sessions and
// brings back the version that another session's step had written. states[i] is the version
// before chain[i].
func carriedForAnother(session string, chain []step.Step, states []sessionstate.PathVersion, i int) bool {
	if info := chain[i].Info; info.Kind != shadow.StepCarryForward || len(info.Sessions) < 2 {
		return false
	}
	first := slices.Index(states[1:], states[i+1])
	return first < i && !IsBy(chain[first], session)
}

// unclaimed reports whether a step at the end of a turn recorded the state of a path that none of
// its sessions claims: another session, whose turn was open, wrote it.
func (e *evidence) unclaimed(st step.Step, path string) bool {
	if st.Info.Kind != shadow.StepAgent {
		return false
	}
	if e.claims == nil {
		e.claims = map[string]func(path string) bool{}
		sums, err := step.WorktreeSessions(e.ctx, e.s)
		if err != nil {
			return false
		}
		for _, sum := range sums {
			e.claims[sum.ID.String()] = func(path string) bool {
				return sum.Touches(func(p string) bool { return sessionstate.DecodePath(p) == path })
			}
		}
	}
	return !slices.ContainsFunc(st.Info.Sessions, func(sid id.SessionID) bool {
		claims, known := e.claims[sid.String()]
		return !known || claims(path)
	})
}

// concurrentChange is a change that another session's step recorded while the session's turn was
// open and that the other session does not claim, with the index of that step.
type concurrentChange struct {
	githead.FileChange
	index int
}

// concurrentChangesIn returns the changes that other sessions' steps recorded during the turn that st
// ends. The turn may have made them.
func concurrentChangesIn(concurrent []concurrentChange, chain []step.Step, st step.Step) (out []githead.FileChange) {
	if st.Info.Since.IsZero() || len(concurrent) == 0 {
		return nil
	}
	since := indexOfStep(chain, st.Info.Since)
	for _, m := range concurrent {
		if m.index > since {
			out = append(out, m.FileChange)
		}
	}
	return out
}

// existedAtTurnStart reports whether the turn of a step began on a commit that has the same version of
// the file; HEAD has moved since without changing the file.
func (e *evidence) existedAtTurnStart(st step.Step, chain []step.Step, is sessionstate.PathVersion) bool {
	if st.Info.Since.IsZero() || indexOfStep(chain, st.Info.Since) >= 0 {
		return false
	}
	f, ok := e.VersionAt(e.TreeOf(st.Info.Since), is.Path)
	return ok && f == is
}

// foundAtTurnStart returns the version that the turn of a step found at a path: was, or the version of
// the commit that the turn began on, if HEAD moved in the turn without changing the file on
// disk.
func (e *evidence) foundAtTurnStart(st step.Step, chain []step.Step, was, is sessionstate.PathVersion) sessionstate.PathVersion {
	if st.Info.Since.IsZero() || indexOfStep(chain, st.Info.Since) >= 0 {
		return was
	}
	f, ok := e.VersionAt(e.TreeOf(st.Info.Since), is.Path)
	found := githead.FileChange{From: was, To: f}
	if !ok || f.Mode == 0 || f == was || !found.IsIn(git.Change{Path: is.Path, OldMode: was.Mode, Old: was.OID, NewMode: is.Mode, New: is.OID}, e) {
		return was
	}
	return f
}

func indexOfStep(chain []step.Step, oid git.OID) int {
	return slices.IndexFunc(chain, func(c step.Step) bool { return c.OID == oid })
}

// IsBy reports whether a step holds work of a session.
func IsBy(st step.Step, session string) bool {
	return (st.Info.Kind == shadow.StepAgent || st.Info.Kind == shadow.StepTask || st.Info.Kind == shadow.StepCarryForward) &&
		slices.ContainsFunc(st.Info.Sessions, func(sid id.SessionID) bool { return sid.String() == session })
}

// StepsOn returns the steps on a base, nil if there are none or one is missing.
func (e *evidence) StepsOn(base git.OID) []step.Step {
	if known, ok := e.chains[base]; ok {
		return known
	}
	chain, err := step.BranchStepsFrom(e.ctx, e.s, worktree.ShadowRef(e.s, base), func(step.Step) bool { return false })
	if err != nil {
		chain = nil
	}
	e.chains[base] = chain
	return chain
}

// TreeOf returns the tree of a commit: the empty tree for a zero ID, zero if the commit is
// missing.
func (e *evidence) TreeOf(commit git.OID) git.OID {
	if commit.IsZero() {
		return e.s.Repo.EmptyTree()
	}
	tree, known := e.roots[commit]
	if !known {
		tree, _ = worktree.HeadTree(e.ctx, e.s, commit)
		e.roots[commit] = tree
	}
	return tree
}

// originTree returns the tree of the commit on which steps were made: HEAD's if git has removed that commit, as it does
// with a commit that was amended or rebased.
func (e *evidence) originTree(commit git.OID) git.OID {
	if tree := e.TreeOf(commit); !tree.IsZero() {
		return tree
	}
	head, err := HeadCommit(e.ctx, e.s)
	if err != nil {
		return git.OID{}
	}
	return e.TreeOf(head)
}

// VersionAt returns the version that a tree has at a path. ok is false if it cannot be read.
func (e *evidence) VersionAt(tree git.OID, path string) (f sessionstate.PathVersion, ok bool) {
	states, ok := e.versionsIn([]git.OID{tree}, path)
	if !ok {
		return f, false
	}
	return states[0], true
}

// versionsIn returns the versions that several trees have at a path. ok is false if one cannot be
// read.
func (e *evidence) versionsIn(trees []git.OID, path string) (states []sessionstate.PathVersion, ok bool) {
	if slices.ContainsFunc(trees, git.OID.IsZero) {
		return nil, false
	}
	at, err := step.VersionsAt(e.ctx, e.s, trees, []string{path}, e.trees)
	for i := range at {
		states = append(states, at[i][0])
	}
	return states, err == nil
}
