package strategy

import (
	"slices"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// own returns the session's changes to path, oldest first, and whether a later step superseded
// the last one.
func (e *evidence) own(w work, path string) (changes []spell, superseded bool) {
	chain := e.chain(w.base)
	if len(chain) == 0 {
		return nil, false
	}
	base := chain[0].info.Base
	if base.IsZero() {
		base = w.base
	}
	trees := []git.OID{e.treeOf(base)}
	for _, st := range chain {
		trees = append(trees, st.Tree)
	}
	states, ok := e.along(trees, path)
	if !ok {
		return nil, false
	}
	was := states[0]
	var concurrent []mixedSpell
	for i, st := range chain {
		is := states[i+1]
		if b := st.info.Base; b != base && !b.IsZero() { // changes that came with HEAD's move have no author
			before, _ := e.at(e.treeOf(base), path)
			after, known := e.at(e.treeOf(b), path)
			if base = b; known && was == before && is != was { // otherwise the worktree did not follow HEAD's move
				was = after
			}
		}
		mine := st.by(w.session)
		if mine {
			mine = !carriedForAnother(w.session, chain, states, i)
			changes, concurrent = append(changes, foundInTurn(concurrent, chain, st)...), nil
		}
		last := len(changes) - 1
		switch {
		case is == was:
		case mine && !e.stoodBefore(st, chain, is):
			changes, superseded = append(changes, spell{e.foundBy(st, chain, was, is), is}), false
		case mine:
		case st.info.Kind != checkpoint.StepHuman && st.info.Kind != checkpoint.StepMixed:
			superseded = true
		case last >= 0 && is == changes[last].from: // discarded
			superseded = true
		case last >= 0 && is == changes[last].to:
			superseded = false
		}
		if is != was && st.info.Kind == checkpoint.StepMixed {
			concurrent = append(concurrent, mixedSpell{spell{was, is}, i})
		}
		was = is
	}
	return changes, superseded && len(changes) > 0
}

// carriedForAnother reports whether chain[i] carries forward the work of several sessions and
// brings back the version that another session's step had written. states[i] is the version
// before chain[i].
func carriedForAnother(session string, chain []step, states []fileState, i int) bool {
	if info := chain[i].info; info.Kind != checkpoint.StepCarryForward || len(info.Sessions) < 2 {
		return false
	}
	first := slices.Index(states[1:], states[i+1])
	return first < i && !chain[first].by(session)
}

// mixedSpell is a change that a step at the start of a turn recorded while another session's
// turn was open, with the index of that step.
type mixedSpell struct {
	spell
	at int
}

// foundInTurn returns the changes that other sessions' steps recorded during the turn that st
// ends. The turn may have made them.
func foundInTurn(concurrent []mixedSpell, chain []step, st step) (out []spell) {
	if st.info.Since.IsZero() || len(concurrent) == 0 {
		return nil
	}
	since := stepOf(chain, st.info.Since)
	for _, m := range concurrent {
		if m.at > since {
			out = append(out, m.spell)
		}
	}
	return out
}

// stoodBefore reports whether the turn of a step began on a commit that has the same version of
// the file; HEAD has moved since without changing the file.
func (e *evidence) stoodBefore(st step, chain []step, is fileState) bool {
	if st.info.Since.IsZero() || stepOf(chain, st.info.Since) >= 0 {
		return false
	}
	f, ok := e.at(e.treeOf(st.info.Since), is.path)
	return ok && f == is
}

// foundBy returns the version that the turn of a step found at a path: was, or the version of
// the commit that the turn began on, if HEAD moved in the turn without changing the file on
// disk.
func (e *evidence) foundBy(st step, chain []step, was, is fileState) fileState {
	if st.info.Since.IsZero() || stepOf(chain, st.info.Since) >= 0 {
		return was
	}
	f, ok := e.at(e.treeOf(st.info.Since), is.path)
	found := spell{was, f}
	if !ok || f.mode == 0 || f == was || !found.isIn(git.Change{Path: is.path, OldMode: was.mode, Old: was.oid, NewMode: is.mode, New: is.oid}, e) {
		return was
	}
	return f
}

func stepOf(chain []step, oid git.OID) int {
	return slices.IndexFunc(chain, func(c step) bool { return c.OID == oid })
}

// by reports whether a step holds work of a session.
func (st step) by(session string) bool {
	return (st.info.Kind == checkpoint.StepAgent || st.info.Kind == checkpoint.StepTask || st.info.Kind == checkpoint.StepCarryForward) &&
		slices.ContainsFunc(st.info.Sessions, func(sid id.SessionID) bool { return sid.String() == session })
}

// chain returns the steps on a base, nil if there are none or one is missing.
func (e *evidence) chain(base git.OID) []step {
	if known, ok := e.chains[base]; ok {
		return known
	}
	chain, err := e.s.stepsDownTo(e.ctx, e.s.shadowRef(base), func(step) bool { return false })
	if err != nil {
		chain = nil
	}
	e.chains[base] = chain
	return chain
}

// treeOf returns the tree of a commit: the empty tree for a zero ID, zero if the commit is
// missing.
func (e *evidence) treeOf(commit git.OID) git.OID {
	if commit.IsZero() {
		return e.s.repo.EmptyTree()
	}
	tree, known := e.roots[commit]
	if !known {
		tree, _ = e.s.headTree(e.ctx, commit)
		e.roots[commit] = tree
	}
	return tree
}

// at returns the version that a tree has at a path. ok is false if it cannot be read.
func (e *evidence) at(tree git.OID, path string) (f fileState, ok bool) {
	states, ok := e.along([]git.OID{tree}, path)
	if !ok {
		return f, false
	}
	return states[0], true
}

// along returns the versions that several trees have at a path. ok is false if one cannot be
// read.
func (e *evidence) along(trees []git.OID, path string) (states []fileState, ok bool) {
	if slices.ContainsFunc(trees, git.OID.IsZero) {
		return nil, false
	}
	at, err := e.s.statesAt(e.ctx, trees, []string{path}, e.trees)
	for i := range at {
		states = append(states, at[i][0])
	}
	return states, err == nil
}
