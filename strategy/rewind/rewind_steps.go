package rewind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/ownership"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// ErrNotOnBranch is returned for a point, or a turn, that is not among the steps since the last
// commit, so that nobody can tell who changed what since.
var ErrNotOnBranch = errors.New("not among the steps since the last commit")

// rewindSteps is the steps from the last commit to the present, and who was active in them.
type rewindSteps struct {
	s       *sessionstate.Env
	ctx     context.Context
	steps   []step.Step // oldest first
	history []HistoryStep
	authors *ownership.Authors
	present git.OID // tree of the present
	head    git.OID // commit of HEAD

	trees map[git.OID][]git.TreeEntry // trees that were read
}

// readRewindSteps reads the steps on HEAD's branch or, if the sessions have not followed a move of HEAD
// yet, on the branch of the point's base.
func readRewindSteps(ctx context.Context, s *sessionstate.Env, plan *Plan) (*rewindSteps, error) {
	c := &rewindSteps{s: s, ctx: ctx, present: plan.before, head: plan.Present.Head, trees: map[git.OID][]git.TreeEntry{}}
	refs := []string{worktree.ShadowRef(s, plan.Present.Head)}
	if base := plan.step.Info.Base; !base.IsZero() && base != plan.Present.Head {
		refs = append(refs, worktree.ShadowRef(s, base))
	}
	for _, ref := range refs {
		steps, err := step.BranchStepsFrom(ctx, s, ref, func(step.Step) bool { return false })
		if err != nil {
			return nil, err
		}
		if len(steps) > 0 {
			c.steps = steps
			break
		}
	}
	active, err := activeSessions(ctx, s)
	if err != nil {
		return nil, err
	}
	c.authors = ownership.NewAuthors(ctx, s, c.steps, active)
	c.readRewinds()
	return c, nil
}

// activeSessions returns this worktree's sessions that are in the middle of a turn.
func activeSessions(ctx context.Context, s *sessionstate.Env) ([]*sessionstate.LockedSession, error) {
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []*sessionstate.LockedSession
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive {
			continue
		}
		o := &sessionstate.LockedSession{ID: sum.ID}
		if err := s.ReadSession(ctx, o); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// readRewinds reads, from the steps that rewinds wrote, what each rewind did.
func (c *rewindSteps) readRewinds() {
	at := make(map[git.OID]int, len(c.steps))
	for i, st := range c.steps {
		at[st.OID] = i
	}
	index := func(oid git.OID) int {
		if i, ok := at[oid]; ok {
			return i
		}
		return NoStep
	}
	for _, st := range c.steps {
		f := HistoryStep{Session: st.Info.Session.String(), turn: st.Info.Turn}
		if st.Info.Kind == shadow.StepRewind {
			f.Rewind = &Effect{Target: index(st.Info.Target), Scope: shadow.ParseScope(st.Info.Scope), Undoes: NoStep}
			if !st.Info.Undoes.IsZero() {
				if f.Rewind.Undoes = index(st.Info.Undoes); f.Rewind.Undoes == NoStep {
					f.Rewind.Undoes = lostStep
				}
			}
		}
		c.history = append(c.history, f)
	}
}

// index returns the position of a step, NoStep (-1) if it is not in the chain.
func (c *rewindSteps) index(oid git.OID) int {
	return slices.IndexFunc(c.steps, func(st step.Step) bool { return st.OID == oid })
}

// baseOf returns the commit on which the i-th step, or the present, is based.
func (c *rewindSteps) baseOf(i int) git.OID {
	if i < len(c.steps) {
		return c.steps[i].Info.Base
	}
	return c.head
}

// changedSince returns the paths that changed after step from, up to step to or, if to is beyond
// the last step, up to the present.
func (c *rewindSteps) changedSince(from, to int) ([]string, error) {
	var lists [][]string
	for i := from + 1; i <= min(to, len(c.steps)-1); i++ {
		changed, err := stepPaths(c.ctx, c.s, c.steps[i])
		if err != nil {
			return nil, err
		}
		lists = append(lists, changed)
	}
	if to >= len(c.steps) {
		last := c.present
		if n := len(c.steps); n > 0 {
			last = c.steps[n-1].Tree
		}
		changes, err := step.CodeDiff(c.ctx, c.s, last, c.present)
		if err != nil {
			return nil, err
		}
		lists = append(lists, step.Paths(changes))
	}
	return worktree.Union(lists...), nil
}

// fileHistories returns the history of each file through all steps to the present.
func (c *rewindSteps) fileHistories(files []string) ([]FileHistory, error) {
	if len(files) == 0 {
		return nil, nil
	}
	first, err := worktree.HeadTree(c.ctx, c.s, c.baseOf(0))
	if err != nil {
		return nil, fmt.Errorf("read what the first step was made on: %w", err)
	}
	trees := []git.OID{first}
	for i := range c.steps {
		trees = append(trees, c.steps[i].Tree)
	}
	trees = append(trees, c.present)
	moves, heads, err := c.headMoves()
	if err != nil {
		return nil, err
	}
	if len(trees)*len(files) > step.LookupsMax {
		return nil, fmt.Errorf("%d files in %d steps are too many to look through", len(files), len(c.steps))
	}
	at, err := step.VersionsAt(c.ctx, c.s, append(slices.Clone(trees), heads...), files, c.trees)
	if err != nil {
		return nil, err
	}
	out := make([]FileHistory, len(files))
	for k, path := range files {
		version := func(i int) sessionstate.FileVersion { return restore.TreeFileVersion(at[i][k]) }
		var values []sessionstate.FileVersion
		for i := range trees {
			values = append(values, version(i))
		}
		movedTo := func(i int) (sessionstate.FileVersion, bool) {
			h, moved := moves[i]
			if !moved || version(len(trees)+h) != values[i] {
				return sessionstate.FileVersion{}, false
			}
			to := version(len(trees) + h + 1)
			return to, values[i+1] != values[i] // otherwise the worktree's file did not follow HEAD
		}
		out[k] = NewFileHistory(values, c.history, func(i int) ChangeAuthor { return c.authorOf(i, path) }, movedTo)
	}
	return out, nil
}

// headMoves returns the moves of HEAD between the steps: for the step after a move, the index of the trees of its two
// commits in heads. A move from a commit that git lacks is left out.
func (c *rewindSteps) headMoves() (moves map[int]int, heads []git.OID, err error) {
	moves = map[int]int{}
	base := c.baseOf(0)
	for i := 1; i <= len(c.steps); i++ {
		to := c.baseOf(i)
		if to == base || to.IsZero() {
			continue
		}
		was, err := worktree.HeadTree(c.ctx, c.s, base)
		if err != nil && !errors.Is(err, git.ErrMissing) {
			return nil, nil, err
		}
		is, err2 := worktree.HeadTree(c.ctx, c.s, to)
		if err2 != nil {
			return nil, nil, err2
		}
		if err == nil {
			moves[i] = len(heads)
			heads = append(heads, was, is)
		}
		base = to
	}
	return moves, heads, nil
}

// authorOf returns who changed a file in the i-th step or, for the index after the last step, since
// then.
func (c *rewindSteps) authorOf(i int, path string) ChangeAuthor {
	busy := c.authors.SessionsAt(i)
	kind := shadow.StepHuman
	if i < len(c.steps) {
		kind = c.steps[i].Info.Kind
	}
	among := busy
	if kind == shadow.StepCarryForward {
		among = c.steps[i].Info.Sessions
	}
	unclear := ChangeAuthor{Who: whoUnknown}
	for _, sid := range among {
		unclear.candidates = append(unclear.candidates, sid.String())
	}
	switch {
	case kind == shadow.StepHuman && len(busy) == 0:
		return ChangeAuthor{Who: WhoPerson}
	case (kind == shadow.StepAgent || kind == shadow.StepTask || kind == shadow.StepCarryForward) && len(among) == 1:
		return ChangeAuthor{Who: WhoSession, Session: among[0].String()}
	case kind == shadow.StepHuman, kind == shadow.StepMixed:
		unclear.Who = whoMixed
	}
	none := attribution.Owner{}
	did := func(sid id.SessionID) bool { return c.authors.EditedPaths(sid)[path] }
	if one := ownership.SoleEditor(among, did, none); one != none && one.Class != attribution.Unknown {
		return ChangeAuthor{Who: WhoSession, Session: one.Session}
	}
	return unclear
}

// stepTime returns a step's ID and time, "" for the present.
func (c *rewindSteps) stepTime(i int) (oid, at string) {
	if i >= len(c.steps) {
		return "", ""
	}
	return c.steps[i].OID.String(), c.steps[i].Author.When.Format(time.RFC3339)
}
