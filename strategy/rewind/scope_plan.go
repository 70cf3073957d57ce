package rewind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/merge3"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// restoresWholeTree reports whether a rewind to a step on another commit restores the whole tree of that time;
// HEAD stays. It does so where the branch itself went back from that commit, as a reset does; and of a turn
// that a commit took, where HEAD descends from the turn's commit, or where the user asked for it.
func restoresWholeTree(ctx context.Context, s *sessionstate.Env, plan *Plan, base git.OID) bool {
	taken := plan.Point.TakenBy != ""
	if plan.Present.Head.IsZero() {
		return taken && !plan.autoScope
	}
	out, err := s.Repo.Run(ctx, "rev-list", "--left-right", "--count", base.String()+"..."+plan.Present.Head.String(), "--")
	if err != nil {
		s.Log.Warn("not known whether HEAD comes from the point's commit", "err", err) // the commit may have been pruned
		return taken && !plan.autoScope
	}
	onlyBase, since, _ := strings.Cut(strings.TrimSpace(string(out)), "\t")
	switch {
	case since == "0" && plan.Present.Branch != "" && plan.step.Info.Branch == plan.Present.Branch:
		plan.Warnings = append(plan.Warnings, fmt.Sprintf("the point was made on %s, from which %s went back by %s: the files become what they were then, HEAD stays",
			base.Short(), plan.Present.Branch, commitsText(onlyBase)))
	case !taken:
		return false
	case onlyBase == "0":
		plan.Warnings = append(plan.Warnings, fmt.Sprintf("the point was made on %s, %s ago: the files become what they were then, HEAD stays",
			base.Short(), commitsText(since)))
	case plan.autoScope:
		return false
	default:
		plan.Warnings = append(plan.Warnings, fmt.Sprintf("the point was made on %s, from which HEAD does not come: the files become what they were there", base.Short()))
	}
	return true
}

func commitsText(n string) string {
	if n == "1" {
		return "1 commit"
	}
	return n + " commits"
}

// resolveScope completes the plan's scope and computes the tree that the rewind writes.
func resolveScope(ctx context.Context, s *sessionstate.Env, plan *Plan) (err error) {
	sc := &plan.Scope
	if sc.Kind == condense.ScopeAuto {
		if err := fillAutoScope(ctx, s, plan); err != nil {
			return err
		}
	}
	switch sc.Kind {
	case condense.ScopeTree, condense.ScopeSession:
	default:
		return fmt.Errorf("a rewind to a point has no scope %q", sc.Kind)
	}
	if sc.Kind == condense.ScopeSession {
		if err := resolveScopeSession(ctx, s, plan); err != nil {
			return err
		}
	}
	switch {
	case sc.SkipCode:
		plan.after = plan.before
		return nil
	case sc.Kind == condense.ScopeTree && !sc.KeepMine && (len(sc.KeepSessions) == 0 || plan.activeFiles != nil):
		if plan.after, err = targetTree(ctx, s, plan, plan.head); err == nil {
			err = keepConcurrentFiles(ctx, s, plan)
		}
		return err
	}
	c, err := chainOfPlan(ctx, s, plan)
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
	return planScope(ctx, s, plan, files, stepScope(*sc), at)
}

// stepScope converts the scope to the form that the step of a rewind records.
func stepScope(sc condense.Scope) shadow.StepScope {
	sid, _ := id.ParseSessionID(sc.Session)
	switch sc.Kind {
	case condense.ScopeSession:
		return shadow.StepScope{Session: sid}
	case condense.ScopeTurn:
		return shadow.StepScope{Session: sid, Turn: sc.Turn}
	}
	return shadow.StepScope{All: !sc.KeepMine, Agents: sc.KeepMine, Excluded: sc.KeepSessions}
}

func scopeText(sc condense.Scope) string {
	st := stepScope(sc)
	switch {
	case st.Turn > 0:
		return shadow.ScopeOfTurn(st.Session, st.Turn)
	case !st.Session.IsZero():
		return shadow.ScopeOfSession(st.Session)
	case st.Agents:
		return shadow.ScopeExcluding(shadow.ScopeAgents, st.Excluded)
	}
	return shadow.ScopeExcluding("", st.Excluded)
}

func chainOfPlan(ctx context.Context, s *sessionstate.Env, plan *Plan) (c *rewindSteps, err error) {
	if plan.chain == nil {
		plan.chain, err = readRewindSteps(ctx, s, plan)
	}
	return plan.chain, err
}

// resolveScopeSession finds the session of the scope and its last step up to the point; the rewind
// restores the session's state and conversation from that step.
func resolveScopeSession(ctx context.Context, s *sessionstate.Env, plan *Plan) error {
	sc := &plan.Scope
	if sc.Session == "" {
		sc.Session = plan.session.String()
	}
	sid, err := id.ParseSessionID(sc.Session)
	if err != nil {
		return fmt.Errorf("which session's work is to be undone? %w", err)
	}
	if sid == plan.session && step.IsListed(plan.step) {
		return nil
	}
	plan.session = sid
	c, err := chainOfPlan(ctx, s, plan)
	if err != nil {
		return err
	}
	for i := c.index(plan.step.OID); i >= 0; i-- {
		if st := c.steps[i]; evidence.IsBy(st, sid.String()) {
			plan.state = st.OID
			return nil
		}
	}
	plan.Scope.SkipConversation = true
	plan.Warnings = append(plan.Warnings, fmt.Sprintf("session %s had no step yet at this point: its conversation stays as it is", sid.Short()))
	return nil
}

// planScope computes the tree for the given files: the changes in the scope are as they were after
// step at, all other changes stay.
func planScope(ctx context.Context, s *sessionstate.Env, plan *Plan, files []string, sc shadow.StepScope, at int) error {
	files = slices.DeleteFunc(files, func(p string) bool { return !covers(plan.Scope, p) })
	histories, err := plan.chain.fileHistories(files)
	if err != nil {
		return err
	}
	plan.merged, plan.undone = map[string]bool{}, map[string][]restore.UndoneChange{}
	var edits []git.Edit
	for k, path := range files {
		st := &histories[k]
		now := st.ActiveChanges[len(st.ActiveChanges)-1]
		did := st.SelectChanges(sc, at, now)
		if why := plan.whyKept(st, sc, at, did); why != "" {
			plan.Kept = append(plan.Kept, sessionstate.KeptFile{Path: path, Why: why})
		}
		if len(did.gone)+len(did.back) == 0 {
			continue
		}
		var marked sessionstate.FileVersion
		merge := func(base, ours, theirs sessionstate.FileVersion) (sessionstate.FileVersion, bool, error) {
			return MergeFiles(base, ours, theirs, func(b, o, t git.OID) (git.OID, bool, error) {
				merged, clean, err := mergeTexts(ctx, s, b, o, t, "before the rewind", plan.targetLabel())
				if !clean && !merged.IsZero() {
					marked = sessionstate.FileVersion{Mode: ours.Mode, OID: merged}
				}
				return merged, clean, err
			})
		}
		to, merged, c, err := st.VersionWith(did, merge)
		if err != nil {
			return fmt.Errorf("merge %s: %w", sessionstate.EncodePath(path), err)
		}
		if c != nil {
			to = plan.addConflict(path, st, did, *c, marked)
		}
		plan.merged[path] = merged && c == nil
		plan.undone[path] = plan.undoneChanges(st, did.gone)
		if to != st.versions[len(st.versions)-1] {
			edits = append(edits, git.Edit{Path: path, Mode: to.Mode, OID: to.OID})
		}
	}
	if edits, err = withoutCollisions(ctx, s, plan, edits, git.OID{}); err != nil {
		return err
	}
	plan.after, err = s.Repo.EditTree(ctx, plan.before, edits)
	return err
}

// targetLabel names the rewind's target in conflict markers.
func (p *Plan) targetLabel() string {
	switch {
	case p.Kind == condense.RewindUndo, p.Kind == condense.RewindRedo:
		return p.description()
	case p.Scope.Kind == condense.ScopeTurn:
		return fmt.Sprintf("without turn %d", p.Scope.Turn)
	}
	return "rewound to " + p.step.OID.Short()
}

// addConflict records a conflict and returns the version that the file gets.
func (p *Plan) addConflict(path string, st *FileHistory, did changeSet, c mergeClash, marked sessionstate.FileVersion) sessionstate.FileVersion {
	now := st.versions[len(st.versions)-1]
	conflict := restore.PlanConflict{Path: path, Base: restore.PlanSide(c.base), Ours: restore.PlanSide(now), Theirs: restore.PlanSide(c.theirs)}
	if len(did.gone) > 0 {
		conflict.Saved, _ = p.chain.stepTime(st.changes[did.gone[len(did.gone)-1]].step)
	}
	return p.resolveConflict(conflict, now, marked)
}

// resolveConflict returns the version that a file with a conflict gets.
func (p *Plan) resolveConflict(c restore.PlanConflict, now, marked sessionstate.FileVersion) sessionstate.FileVersion {
	p.Conflicts = append(p.Conflicts, c)
	switch {
	case p.Scope.Conflicts == ConflictsMarkers && !Absent(marked):
		return marked
	case p.Scope.Conflicts == ConflictsMarkers:
		p.Kept = append(p.Kept, sessionstate.KeptFile{Path: c.Path, Why: "conflict, and no text to put markers into: both sides are saved"})
	case p.Scope.Conflicts == ConflictsKeep:
		p.Kept = append(p.Kept, sessionstate.KeptFile{Path: c.Path, Why: "conflict: later changes to the same lines are kept"})
	}
	return now
}

// whyKept returns why changes with an unknown author are kept, "" if there are none.
func (p *Plan) whyKept(st *FileHistory, sc shadow.StepScope, at int, did changeSet) string {
	if sc.Turn > 0 {
		return ""
	}
	for _, m := range st.SelectChanges(shadow.StepScope{All: true}, at, st.ActiveChanges[len(st.ActiveChanges)-1]).gone {
		by := st.changes[m].by
		if by.isKnown() || slices.Contains(did.gone, m) {
			continue
		}
		if sc.Agents || slices.Contains(by.candidates, sc.Session.String()) || slices.ContainsFunc(sc.Excluded, by.mayBe) {
			return "changed while several sessions were at work, so it is kept"
		}
	}
	return ""
}

// undoneChanges lists the changes that are undone, oldest first.
func (p *Plan) undoneChanges(st *FileHistory, gone []int) []restore.UndoneChange {
	var out []restore.UndoneChange
	for _, m := range gone {
		move := st.changes[m]
		u := restore.UndoneChange{Who: move.by.Who}
		switch {
		case move.by.Who == whoHead, move.by.Who == whoRewind:
			continue
		case move.by.Who == WhoSession && move.by.Session == p.session.String():
			u.Who = whoThis
		case move.by.Who == WhoSession:
			u.Who = "session " + move.by.Session
		}
		u.Step, u.When = p.chain.stepTime(move.step)
		out = append(out, u)
	}
	return out
}

// annotateUndone notes in each planned change whose later work it undoes.
func annotateUndone(ctx context.Context, s *sessionstate.Env, plan *Plan) error {
	if plan.undone == nil && plan.Kind == condense.RewindDone && len(plan.Changes) > 0 {
		if err := findUndone(ctx, s, plan); err != nil {
			return err
		}
	}
	for i := range plan.Changes {
		c := &plan.Changes[i]
		c.Undoes, c.Merged = plan.undone[c.Path], plan.merged[c.Path]
	}
	return nil
}

// findUndone finds whose later work a rewind of the whole tree undoes. If that fails, it logs
// a warning and the plan stays valid.
func findUndone(ctx context.Context, s *sessionstate.Env, plan *Plan) error {
	var files []string
	for _, c := range plan.Changes {
		files = append(files, c.Path)
	}
	c, err := chainOfPlan(ctx, s, plan)
	var histories []FileHistory
	if err == nil {
		histories, err = c.fileHistories(files)
	}
	if err != nil {
		s.Log.Warn("later changes not told apart", "err", err)
		return ctx.Err()
	}
	plan.undone = map[string][]restore.UndoneChange{}
	at := c.index(plan.step.OID)
	for k := range histories {
		st := &histories[k]
		did := st.SelectChanges(shadow.StepScope{All: true}, at, st.ActiveChanges[len(st.ActiveChanges)-1])
		plan.undone[files[k]] = plan.undoneChanges(st, did.gone)
	}
	return nil
}

// mergeTexts merges three blobs. A merge that is not clean contains markers with the given
// names, or is zero if the blobs cannot contain markers.
func mergeTexts(ctx context.Context, s *sessionstate.Env, base, ours, theirs git.OID, nowName, thenName string) (git.OID, bool, error) {
	if err := s.Repo.Writer().Sync(); err != nil {
		return git.OID{}, false, err
	}
	objs, err := s.Repo.Reader(ctx).Objects(base.String(), ours.String(), theirs.String())
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
	oid, err := s.Repo.Writer().Blob(text)
	return oid, r.Clean(), err
}
