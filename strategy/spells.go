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
	was, ok := e.at(e.treeOf(base), path)
	for _, st := range chain {
		is, found := e.at(st.Tree, path)
		if !ok || !found {
			return nil, false
		}
		if b := st.info.Base; b != base && !b.IsZero() { // what HEAD's move changed is nobody's
			before, _ := e.at(e.treeOf(base), path)
			after, known := e.at(e.treeOf(b), path)
			if base = b; known && was == before {
				was = after
			}
		}
		switch {
		case is == was:
		case st.by(w.session):
			spells, overtaken = append(spells, spell{was, is}), false
		case st.info.Kind != checkpoint.StepHuman && st.info.Kind != checkpoint.StepMixed:
			overtaken = true
		}
		was = is
	}
	return spells, overtaken && len(spells) > 0
}

// by reports whether a step holds work of a session.
func (st step) by(session string) bool {
	return (listed(st) || st.info.Kind == checkpoint.StepCarryForward) &&
		slices.ContainsFunc(st.info.Sessions, func(sid id.SessionID) bool { return sid.String() == session })
}

// chain reads the steps on a base, nil where there are none or one is missing.
func (e *evidence) chain(base git.OID) []step {
	if known, ok := e.chains[base]; ok {
		return known
	}
	var chain []step
	rd := e.s.repo.Reader(e.ctx)
	c, ok, err := rd.CommitOf(e.s.shadowRef(base))
	for n := 0; ok && err == nil && n < ancestorsMax; n++ {
		chain = append(chain, step{c, checkpoint.ParseStep(c.Message)})
		if len(c.Parents) == 0 {
			break
		}
		c, err = rd.Commit(c.Parents[0])
	}
	if err != nil {
		chain = nil
	}
	slices.Reverse(chain)
	if e.chains == nil {
		e.chains = map[git.OID][]step{}
	}
	e.chains[base] = chain
	return chain
}

// treeOf is a commit's tree, the empty one for none, and zero if it is gone.
func (e *evidence) treeOf(commit git.OID) git.OID {
	if commit.IsZero() {
		return e.s.repo.EmptyTree()
	}
	tree, err := e.s.headTree(e.ctx, commit)
	if err != nil {
		return git.OID{}
	}
	return tree
}

// at is what a tree has at a path. ok is false if it cannot be read.
func (e *evidence) at(tree git.OID, path string) (f fileState, ok bool) {
	if tree.IsZero() {
		return f, false
	}
	entry, found, err := e.s.repo.Reader(e.ctx).Path(tree, path)
	if err != nil {
		return f, false
	}
	f.path = path
	if found {
		f.mode, f.oid = entry.Mode, entry.OID
	}
	return f, true
}
