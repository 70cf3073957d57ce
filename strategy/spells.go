package strategy

import (
	"slices"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// own follows a path through the steps on the session's base.
func (e *evidence) own(w work, path string) (spells []spell, overtaken bool) {
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
	var mixed []mixedSpell
	for i, st := range chain {
		is := states[i+1]
		if b := st.info.Base; b != base && !b.IsZero() { // what HEAD's move changed is nobody's
			before, _ := e.at(e.treeOf(base), path)
			after, known := e.at(e.treeOf(b), path)
			if base = b; known && was == before && is != was { // else the worktree did not move along
				was = after
			}
		}
		mine := st.by(w.session)
		if mine {
			mine = !carriedForAnother(w.session, chain, states, i)
			spells, mixed = append(spells, foundInTurn(mixed, chain, st)...), nil
		}
		last := len(spells) - 1
		switch {
		case is == was:
		case mine && !e.stoodBefore(st, chain, is):
			spells, overtaken = append(spells, spell{e.foundBy(st, chain, was, is), is}), false
		case mine:
		case st.info.Kind != checkpoint.StepHuman && st.info.Kind != checkpoint.StepMixed:
			overtaken = true
		case last >= 0 && is == spells[last].from: // thrown away
			overtaken = true
		case last >= 0 && is == spells[last].to:
			overtaken = false
		}
		if is != was && st.info.Kind == checkpoint.StepMixed {
			mixed = append(mixed, mixedSpell{spell{was, is}, i})
		}
		was = is
	}
	return spells, overtaken && len(spells) > 0
}

// carriedForAnother reports that a step which carries several sessions' work brings
// back what another one's step had made of a path: states[i] is what stood there
// before chain[i].
func carriedForAnother(session string, chain []step, states []fileState, i int) bool {
	if info := chain[i].info; info.Kind != checkpoint.StepCarryForward || len(info.Sessions) < 2 {
		return false
	}
	first := slices.Index(states[1:], states[i+1])
	return first < i && !chain[first].by(session)
}

// mixedSpell is a change that the beginning of a turn found while another was under
// way, and the step's place.
type mixedSpell struct {
	spell
	at int
}

// foundInTurn are the changes that others' turns found in the middle of the one
// that a step ends: they may be of its making.
func foundInTurn(mixed []mixedSpell, chain []step, st step) (out []spell) {
	if st.info.Since.IsZero() || len(mixed) == 0 {
		return nil
	}
	since := stepOf(chain, st.info.Since)
	for _, m := range mixed {
		if m.at > since {
			out = append(out, m.spell)
		}
	}
	return out
}

// stoodBefore reports whether a step's turn began on a commit that has a file just
// so: HEAD has moved since, and has left it standing.
func (e *evidence) stoodBefore(st step, chain []step, is fileState) bool {
	if st.info.Since.IsZero() || stepOf(chain, st.info.Since) >= 0 {
		return false
	}
	f, ok := e.at(e.treeOf(st.info.Since), is.path)
	return ok && f == is
}

// foundBy is what the turn of a step found at a path: what HEAD has there, was, or,
// where HEAD has moved in the turn and has left the file standing, what the commit
// has that the turn began on.
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

// chain reads the steps on a base, nil where there are none or one is missing.
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

// treeOf is a commit's tree, the empty one for none, and zero if it is gone.
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

// at is what a tree has at a path. ok is false if it cannot be read.
func (e *evidence) at(tree git.OID, path string) (f fileState, ok bool) {
	states, ok := e.along([]git.OID{tree}, path)
	if !ok {
		return f, false
	}
	return states[0], true
}

// along is what several trees have at a path. ok is false if one cannot be read.
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
