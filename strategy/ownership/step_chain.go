package ownership

import (
	"context"
	"slices"

	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// stepChain is the step chain that led to a commit: the steps of one shadow branch since the last
// checkpoint, oldest first, and which sessions were active during each.
type stepChain struct {
	steps  []step.Step
	origin git.Commit // the commit under the first step, or the one that the sessions have as base; zero if it is the parent
	base   git.OID    // origin's tree; zero if origin is

	amended bool // the commit replaces origin

	replacedFiles map[string]git.OID // the blobs of a replaced commit that is known only from its record, by path; nil otherwise

	authors *Authors
}

// stepChains returns the step chains of the sessions. It returns none if an earlier call for this commit
// removed the branches, or if there were none.
func stepChains(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, all []*sessionstate.LockedSession) ([]*stepChain, error) {
	var out []*stepChain
	seen := map[string]bool{}
	for _, o := range all {
		base := step.BaseOf(o)
		ref := branchOf(s, cm, o)
		if seen[ref] {
			continue
		}
		seen[ref] = true
		tip := ref
		if cm.Late {
			tip = cm.Steps.String() // the branch may have gone on
		}
		steps, err := step.BranchSteps(ctx, s, tip)
		if err != nil {
			return nil, err
		}
		var concurrent []*sessionstate.LockedSession
		for _, other := range all {
			if branchOf(s, cm, other) == ref {
				concurrent = append(concurrent, other)
			}
		}
		if len(steps) == 0 && !cm.Elsewhere && !cm.Late && !slices.ContainsFunc(concurrent, step.BeganAtHead) {
			continue
		}
		p := &stepChain{steps: steps}
		p.authors = NewAuthors(ctx, s, steps, concurrent)
		if err := setOrigin(ctx, s, p, cm, base); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// trees returns the origin's tree, then those of the steps.
func (p *stepChain) trees() []git.OID {
	trees := []git.OID{p.base}
	for _, st := range p.steps {
		trees = append(trees, st.Tree)
	}
	return trees
}

// authorsOf returns the authors of step chains.
func authorsOf(chains []*stepChain) (out []*Authors) {
	for _, p := range chains {
		out = append(out, p.authors)
	}
	return out
}

// branchOf returns the shadow branch with a session's steps.
func branchOf(s *sessionstate.Env, cm githead.MadeCommit, o *sessionstate.LockedSession) string {
	if cm.Elsewhere {
		return evidence.ShadowElsewhere(o)
	}
	return worktree.ShadowRef(s, step.BaseOf(o))
}

// setOrigin sets the commit on which the first step was made, and how the new commit relates to
// it.
func setOrigin(ctx context.Context, s *sessionstate.Env, p *stepChain, cm githead.MadeCommit, base git.OID) error {
	if len(p.steps) > 0 && !p.steps[0].Info.Base.IsZero() {
		base = p.steps[0].Info.Base
	}
	if base == cm.Parent || cm.Elsewhere && len(p.steps) == 0 {
		return nil
	}
	c, ok, err := s.Repo.Reader(ctx).CommitOf(base.String())
	if err != nil || !ok { // the parent stands in for an origin that is gone
		p.authors.originGone = err == nil
		return err
	}
	p.origin, p.base = c, c.Tree
	p.amended = slices.Contains(c.Parents, cm.Parent) || len(c.Parents) == 0 && cm.Parent.IsZero()
	return nil
}
