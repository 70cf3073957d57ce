package strategy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/session"
)

// ErrNotOnBranch is returned for a point, or a turn, that is not among the steps since the last
// commit, so that nobody can tell who changed what since.
var ErrNotOnBranch = errors.New("not among the steps since the last commit")

// chain is the steps from the last commit to the present, and who was active in them.
type chain struct {
	s       *ManualCommitStrategy
	ctx     context.Context
	steps   []step // oldest first
	fold    []foldStep
	authors *authors
	now     git.OID // tree of the present
	head    git.OID // commit of HEAD

	trees map[git.OID][]git.TreeEntry // trees that were read
}

// chainOf reads the steps on HEAD's branch or, if the sessions have not followed a move of HEAD
// yet, on the branch of the point's base.
func (s *ManualCommitStrategy) chainOf(ctx context.Context, plan *RewindPlan) (*chain, error) {
	c := &chain{s: s, ctx: ctx, now: plan.before, head: plan.now.head, trees: map[git.OID][]git.TreeEntry{}}
	refs := []string{s.shadowRef(plan.now.head)}
	if base := plan.step.info.Base; !base.IsZero() && base != plan.now.head {
		refs = append(refs, s.shadowRef(base))
	}
	for _, ref := range refs {
		steps, err := s.stepsDownTo(ctx, ref, func(step) bool { return false })
		if err != nil {
			return nil, err
		}
		if len(steps) > 0 {
			c.steps = steps
			break
		}
	}
	active, err := s.atWorkHere(ctx)
	if err != nil {
		return nil, err
	}
	c.authors = s.newAuthors(ctx, c.steps, active)
	c.readActs()
	return c, nil
}

// atWorkHere returns this worktree's sessions that are in the middle of a turn.
func (s *ManualCommitStrategy) atWorkHere(ctx context.Context) ([]*open, error) {
	sums, err := s.here(ctx)
	if err != nil {
		return nil, err
	}
	var out []*open
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive {
			continue
		}
		o := &open{id: sum.ID}
		if err := s.readSession(ctx, o); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// readActs reads, from the steps that rewinds wrote, what each rewind did.
func (c *chain) readActs() {
	at := make(map[git.OID]int, len(c.steps))
	for i, st := range c.steps {
		at[st.OID] = i
	}
	index := func(oid git.OID) int {
		if i, ok := at[oid]; ok {
			return i
		}
		return noStep
	}
	for _, st := range c.steps {
		f := foldStep{session: st.info.Session.String(), turn: st.info.Turn}
		if st.info.Kind == checkpoint.StepRewind {
			f.rewind = &rewindAct{target: index(st.info.Target), scope: checkpoint.ParseScope(st.info.Scope), undoes: noStep}
			if !st.info.Undoes.IsZero() {
				if f.rewind.undoes = index(st.info.Undoes); f.rewind.undoes == noStep {
					f.rewind.undoes = lostStep
				}
			}
		}
		c.fold = append(c.fold, f)
	}
}

// index returns the position of a step, noStep (-1) if it is not in the chain.
func (c *chain) index(oid git.OID) int {
	return slices.IndexFunc(c.steps, func(st step) bool { return st.OID == oid })
}

// baseOf returns the commit on which the i-th step, or the present, is based.
func (c *chain) baseOf(i int) git.OID {
	if i < len(c.steps) {
		return c.steps[i].info.Base
	}
	return c.head
}

// changedSince returns the paths that changed after step from, up to step to or, if to is beyond
// the last step, up to the present.
func (c *chain) changedSince(from, to int) ([]string, error) {
	var lists [][]string
	for i := from + 1; i <= min(to, len(c.steps)-1); i++ {
		changed, err := c.s.changedBy(c.ctx, c.steps[i])
		if err != nil {
			return nil, err
		}
		lists = append(lists, changed)
	}
	if to >= len(c.steps) {
		last := c.now
		if n := len(c.steps); n > 0 {
			last = c.steps[n-1].Tree
		}
		changes, err := c.s.codeDiff(c.ctx, last, c.now)
		if err != nil {
			return nil, err
		}
		lists = append(lists, paths(changes))
	}
	return union(lists...), nil
}

// stories returns the history of each file through all steps to the present.
func (c *chain) stories(files []string) ([]story, error) {
	if len(files) == 0 {
		return nil, nil
	}
	trees := []git.OID{{}}
	moves := map[int]int{} // step after a move of HEAD -> index of the two commits' trees in heads
	var heads []git.OID
	base := c.baseOf(0)
	first, err := c.s.headTree(c.ctx, base)
	if err != nil {
		return nil, fmt.Errorf("read what the first step was made on: %w", err)
	}
	trees[0] = first
	for i := range c.steps {
		trees = append(trees, c.steps[i].Tree)
	}
	trees = append(trees, c.now)
	for i := 1; i <= len(c.steps); i++ {
		to := c.baseOf(i)
		if to == base || to.IsZero() {
			continue
		}
		was, err := c.s.headTree(c.ctx, base)
		if err != nil && !errors.Is(err, git.ErrMissing) {
			return nil, err
		}
		is, err2 := c.s.headTree(c.ctx, to)
		if err2 != nil {
			return nil, err2
		}
		if err == nil {
			moves[i] = len(heads)
			heads = append(heads, was, is)
		}
		base = to
	}
	if len(trees)*len(files) > cellsMax {
		return nil, fmt.Errorf("%d files in %d steps are too many to look through", len(files), len(c.steps))
	}
	at, err := c.s.statesAt(c.ctx, append(slices.Clone(trees), heads...), files, c.trees)
	if err != nil {
		return nil, err
	}
	out := make([]story, len(files))
	for k, path := range files {
		version := func(i int) stood { return fileAt(at[i][k]) }
		var values []stood
		for i := range trees {
			values = append(values, version(i))
		}
		movedTo := func(i int) (stood, bool) {
			h, moved := moves[i]
			if !moved || version(len(trees)+h) != values[i] {
				return stood{}, false
			}
			to := version(len(trees) + h + 1)
			return to, values[i+1] != values[i] // otherwise the worktree's file did not follow HEAD
		}
		out[k] = tellStory(values, c.fold, func(i int) maker { return c.maker(i, path) }, movedTo)
	}
	return out, nil
}

// maker returns who changed a file in the i-th step or, for the index after the last step, since
// then.
func (c *chain) maker(i int, path string) maker {
	busy := c.authors.during(i)
	kind := checkpoint.StepHuman
	if i < len(c.steps) {
		kind = c.steps[i].info.Kind
	}
	among := busy
	if kind == checkpoint.StepCarryForward {
		among = c.steps[i].info.Sessions
	}
	unclear := maker{who: whoUnknown}
	for _, sid := range among {
		unclear.among = append(unclear.among, sid.String())
	}
	switch {
	case kind == checkpoint.StepHuman && len(busy) == 0:
		return maker{who: whoPerson}
	case (kind == checkpoint.StepAgent || kind == checkpoint.StepTask || kind == checkpoint.StepCarryForward) && len(among) == 1:
		return maker{who: whoSession, session: among[0].String()}
	case kind == checkpoint.StepHuman, kind == checkpoint.StepMixed:
		unclear.who = whoMixed
	}
	none := attribution.Owner{}
	did := func(sid id.SessionID) bool { return c.authors.edits(sid)[path] }
	if one := onlyEditor(among, did, none); one != none && one.Class != attribution.Unknown {
		return maker{who: whoSession, session: one.Session}
	}
	return unclear
}

// when returns a step's ID and time, "" for the present.
func (c *chain) when(i int) (oid, at string) {
	if i >= len(c.steps) {
		return "", ""
	}
	return c.steps[i].OID.String(), c.steps[i].Author.When.Format(time.RFC3339)
}
