package strategy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/internal/merge3"
)

// scoped completes the plan's scope and computes the tree that the rewind writes.
func (s *ManualCommitStrategy) scoped(ctx context.Context, plan *RewindPlan) (err error) {
	sc := &plan.Scope
	if sc.Kind == ScopeAuto {
		if err := s.autoScope(ctx, plan); err != nil {
			return err
		}
	}
	switch sc.Kind {
	case ScopeTree, ScopeSession:
	default:
		return fmt.Errorf("a rewind to a point has no scope %q", sc.Kind)
	}
	if sc.Kind == ScopeSession {
		if err := s.forSession(ctx, plan); err != nil {
			return err
		}
	}
	switch {
	case sc.SkipCode:
		plan.after = plan.before
		return nil
	case sc.Kind == ScopeTree && !sc.KeepMine && (len(sc.Apart) == 0 || plan.theirs != nil):
		if plan.after, err = s.target(ctx, plan, plan.head); err == nil {
			err = s.keepTheirs(ctx, plan)
		}
		return err
	}
	c, err := s.chainFor(ctx, plan)
	if err != nil {
		return err
	}
	at := c.index(plan.step.OID)
	if at < 0 {
		return fmt.Errorf("%s is %w: only the whole tree can go back to it", plan.step.OID.Short(), ErrNotOnBranch)
	}
	files, err := c.changedSince(at, len(c.steps))
	if err != nil {
		return err
	}
	return s.standAs(ctx, plan, files, stepScope(*sc), at)
}

// stepScope converts the scope to the form that the step of a rewind records.
func stepScope(sc Scope) checkpoint.StepScope {
	sid, _ := id.ParseSessionID(sc.Session)
	switch sc.Kind {
	case ScopeSession:
		return checkpoint.StepScope{Session: sid}
	case ScopeTurn:
		return checkpoint.StepScope{Session: sid, Turn: sc.Turn}
	}
	return checkpoint.StepScope{All: !sc.KeepMine, Agents: sc.KeepMine, Apart: sc.Apart}
}

func scopeText(sc Scope) string {
	st := stepScope(sc)
	switch {
	case st.Turn > 0:
		return checkpoint.ScopeOfTurn(st.Session, st.Turn)
	case !st.Session.IsZero():
		return checkpoint.ScopeOfSession(st.Session)
	case st.Agents:
		return checkpoint.ScopeApart(checkpoint.ScopeAgents, st.Apart)
	}
	return checkpoint.ScopeApart("", st.Apart)
}

func (s *ManualCommitStrategy) chainFor(ctx context.Context, plan *RewindPlan) (c *chain, err error) {
	if plan.chain == nil {
		plan.chain, err = s.chainOf(ctx, plan)
	}
	return plan.chain, err
}

// forSession finds the session of the scope and its last step up to the point; the rewind
// restores the session's state and conversation from that step.
func (s *ManualCommitStrategy) forSession(ctx context.Context, plan *RewindPlan) error {
	sc := &plan.Scope
	if sc.Session == "" {
		sc.Session = plan.sid.String()
	}
	sid, err := id.ParseSessionID(sc.Session)
	if err != nil {
		return fmt.Errorf("which session's work is to be undone? %w", err)
	}
	if sid == plan.sid && listed(plan.step) {
		return nil
	}
	plan.sid = sid
	c, err := s.chainFor(ctx, plan)
	if err != nil {
		return err
	}
	for i := c.index(plan.step.OID); i >= 0; i-- {
		if st := c.steps[i]; st.by(sid.String()) {
			plan.state = st.OID
			return nil
		}
	}
	plan.Scope.SkipTalk = true
	plan.Warnings = append(plan.Warnings, fmt.Sprintf("session %s had no step yet at this point: its conversation stays as it is", sid.Short()))
	return nil
}

// standAs computes the tree for the given files: the changes in the scope are as they were after
// step at, all other changes stay.
func (s *ManualCommitStrategy) standAs(ctx context.Context, plan *RewindPlan, files []string, sc checkpoint.StepScope, at int) error {
	files = slices.DeleteFunc(files, func(p string) bool { return !plan.Scope.covers(p) })
	histories, err := plan.chain.stories(files)
	if err != nil {
		return err
	}
	plan.merged, plan.undone = map[string]bool{}, map[string][]Undone{}
	var edits []git.Edit
	for k, path := range files {
		st := &histories[k]
		now := st.standing[len(st.standing)-1]
		did := st.choice(sc, at, now)
		if why := plan.unclear(st, sc, at, did); why != "" {
			plan.Kept = append(plan.Kept, KeptFile{path, why})
		}
		if len(did.gone)+len(did.back) == 0 {
			continue
		}
		var marked stood
		merge := func(base, ours, theirs stood) (stood, bool, error) {
			return mergeFiles(base, ours, theirs, func(b, o, t git.OID) (git.OID, bool, error) {
				merged, clean, err := s.mergeTexts(ctx, b, o, t, "before the rewind", plan.label())
				if !clean && !merged.IsZero() {
					marked = stood{ours.Mode, merged}
				}
				return merged, clean, err
			})
		}
		to, merged, c, err := st.reach(did, merge)
		if err != nil {
			return fmt.Errorf("merge %s: %w", pathText(path), err)
		}
		if c != nil {
			to = plan.clash(path, st, did, *c, marked)
		}
		plan.merged[path] = merged && c == nil
		plan.undone[path] = plan.makers(st, did.gone)
		if to != st.values[len(st.values)-1] {
			edits = append(edits, git.Edit{Path: path, Mode: to.Mode, OID: to.OID})
		}
	}
	if edits, err = s.withoutCollisions(ctx, plan, edits, git.OID{}); err != nil {
		return err
	}
	plan.after, err = s.repo.EditTree(ctx, plan.before, edits)
	return err
}

// label names the rewind's target in conflict markers.
func (p *RewindPlan) label() string {
	switch {
	case p.Kind == RewindUndo, p.Kind == RewindRedo:
		return p.what()
	case p.Scope.Kind == ScopeTurn:
		return fmt.Sprintf("without turn %d", p.Scope.Turn)
	}
	return "rewound to " + p.step.OID.Short()
}

// clash records a conflict and returns the version that the file gets.
func (p *RewindPlan) clash(path string, st *story, did standingAct, c clash, marked stood) stood {
	now := st.values[len(st.values)-1]
	conflict := PlanConflict{Path: path, Base: PlanSide(c.base), Ours: PlanSide(now), Theirs: PlanSide(c.theirs)}
	if len(did.gone) > 0 {
		conflict.Saved, _ = p.chain.when(st.moves[did.gone[len(did.gone)-1]].step)
	}
	return p.decide(conflict, now, marked)
}

// decide returns the version that a file with a conflict gets.
func (p *RewindPlan) decide(c PlanConflict, now, marked stood) stood {
	p.Conflicts = append(p.Conflicts, c)
	switch {
	case p.Scope.Conflicts == ConflictsMarkers && !marked.none():
		return marked
	case p.Scope.Conflicts == ConflictsMarkers:
		p.Kept = append(p.Kept, KeptFile{c.Path, "conflict, and no text to put markers into: both sides are saved"})
	case p.Scope.Conflicts == ConflictsKeep:
		p.Kept = append(p.Kept, KeptFile{c.Path, "conflict: later changes to the same lines are kept"})
	}
	return now
}

// unclear returns why changes with an unknown author are kept, "" if there are none.
func (p *RewindPlan) unclear(st *story, sc checkpoint.StepScope, at int, did standingAct) string {
	if sc.Turn > 0 {
		return ""
	}
	for _, m := range st.choice(checkpoint.StepScope{All: true}, at, st.standing[len(st.standing)-1]).gone {
		by := st.moves[m].by
		if by.clear() || slices.Contains(did.gone, m) {
			continue
		}
		if sc.Agents || slices.Contains(by.among, sc.Session.String()) || slices.ContainsFunc(sc.Apart, by.maybe) {
			return "changed while several sessions were at work, so it is kept"
		}
	}
	return ""
}

// makers lists the changes that are undone, oldest first.
func (p *RewindPlan) makers(st *story, gone []int) []Undone {
	var out []Undone
	for _, m := range gone {
		move := st.moves[m]
		u := Undone{Who: move.by.who}
		switch {
		case move.by.who == whoHead, move.by.who == whoRewind:
			continue
		case move.by.who == whoSession && move.by.session == p.sid.String():
			u.Who = whoThis
		case move.by.who == whoSession:
			u.Who = "session " + move.by.session
		}
		u.Step, u.When = p.chain.when(move.step)
		out = append(out, u)
	}
	return out
}

// tellWhose notes in each planned change whose later work it undoes.
func (s *ManualCommitStrategy) tellWhose(ctx context.Context, plan *RewindPlan) error {
	if plan.undone == nil && plan.Kind == RewindDone && len(plan.Changes) > 0 {
		if err := s.whoseChanges(ctx, plan); err != nil {
			return err
		}
	}
	for i := range plan.Changes {
		c := &plan.Changes[i]
		c.Undoes, c.Merged = plan.undone[c.Path], plan.merged[c.Path]
	}
	return nil
}

// whoseChanges finds whose later work a rewind of the whole tree undoes. If that fails, it logs
// a warning and the plan stays valid.
func (s *ManualCommitStrategy) whoseChanges(ctx context.Context, plan *RewindPlan) error {
	var files []string
	for _, c := range plan.Changes {
		files = append(files, c.Path)
	}
	c, err := s.chainFor(ctx, plan)
	var histories []story
	if err == nil {
		histories, err = c.stories(files)
	}
	if err != nil {
		s.Log.Warn("later changes not told apart", "err", err)
		return ctx.Err()
	}
	plan.undone = map[string][]Undone{}
	at := c.index(plan.step.OID)
	for k := range histories {
		st := &histories[k]
		did := st.choice(checkpoint.StepScope{All: true}, at, st.standing[len(st.standing)-1])
		plan.undone[files[k]] = plan.makers(st, did.gone)
	}
	return nil
}

// mergeTexts merges three blobs. A merge that is not clean contains markers with the given
// names, or is zero if the blobs cannot contain markers.
func (s *ManualCommitStrategy) mergeTexts(ctx context.Context, base, ours, theirs git.OID, nowName, thenName string) (git.OID, bool, error) {
	if err := s.repo.Writer().Sync(); err != nil {
		return git.OID{}, false, err
	}
	objs, err := s.repo.Reader(ctx).Objects(base.String(), ours.String(), theirs.String())
	if err != nil {
		return git.OID{}, false, err
	}
	for _, o := range objs {
		if o.Type != "blob" {
			return git.OID{}, false, errors.New("a version of the file is missing")
		}
	}
	r := merge3.Merge(objs[0].Data, objs[1].Data, objs[2].Data)
	text := r.Bytes()
	if !r.Clean() {
		if text = r.Marked(nowName, thenName); text == nil {
			return git.OID{}, false, nil
		}
	}
	oid, err := s.repo.Writer().Blob(text)
	return oid, r.Clean(), err
}
