package rewind

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// fillAutoScope rewinds the whole tree, whoever changed it since. Only changes that a session active
// now may have made are kept, because its agent relies on them.
func fillAutoScope(ctx context.Context, s *sessionstate.Env, plan *Plan) error {
	plan.Scope.Kind = condense.ScopeTree
	if plan.session.IsZero() || plan.Scope.SkipCode {
		return nil
	}
	busy, err := concurrentSessions(ctx, s, plan.session)
	if err != nil || len(busy) == 0 {
		return err
	}
	c, err := chainOfPlan(ctx, s, plan)
	if err != nil {
		s.Log.Warn("sessions not told apart", "err", err)
		return nil
	}
	at := c.index(plan.step.OID) // NoStep if the point is before all steps
	files, err := c.changedSince(at, len(c.steps))
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(p string) bool { return !covers(plan.Scope, p) })
	histories, err := c.fileHistories(files)
	if err != nil {
		return err
	}
	for _, sid := range busy {
		var kept []string
		for k := range histories {
			if histories[k].mayHoldChangeOf(sid, at) {
				kept = append(kept, files[k])
			}
		}
		if len(kept) > 0 && at == NoStep {
			plan.keepFiles(kept)
		}
		if len(kept) > 0 {
			plan.Scope.KeepSessions = append(plan.Scope.KeepSessions, sid)
			plan.Warnings = append(plan.Warnings, keptApartText(sid, kept))
		}
	}
	return nil
}

// keepFiles notes files that keep their present content. It is used if the point is not among the
// steps since the last commit, where changes of one file cannot be separated.
func (p *Plan) keepFiles(files []string) {
	if p.activeFiles == nil {
		p.activeFiles = map[string]bool{}
	}
	for _, path := range files {
		p.activeFiles[path] = true
	}
}

// keepConcurrentFiles keeps the noted files of active sessions as they are in the tree to be reached.
func keepConcurrentFiles(ctx context.Context, s *sessionstate.Env, plan *Plan) error {
	if len(plan.activeFiles) == 0 {
		return nil
	}
	changes, err := step.CodeDiff(ctx, s, plan.after, plan.before)
	if err != nil {
		return err
	}
	var edits []git.Edit
	for _, c := range changes {
		if plan.activeFiles[c.Path] {
			edits = append(edits, git.Edit{Path: c.Path, Mode: c.NewMode, OID: c.New})
		}
	}
	plan.after, err = s.Repo.EditTree(ctx, plan.after, edits)
	return err
}

// concurrentSessions returns the other sessions of this worktree that are active now: in the middle of a
// turn, or with a subagent that has not ended.
func concurrentSessions(ctx context.Context, s *sessionstate.Env, self id.SessionID) ([]string, error) {
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, sum := range sums {
		if sum.ID == self {
			continue
		}
		busy := sum.Phase == session.PhaseActive
		if sum.Phase == session.PhaseIdle {
			o := &sessionstate.LockedSession{ID: sum.ID}
			if err := s.ReadSession(ctx, o); err != nil {
				return nil, err
			}
			busy = len(o.Engine.Tasks) > 0
		}
		if busy {
			out = append(out, sum.ID.String())
		}
	}
	return out, nil
}

// mayHoldChangeOf reports whether a change after step at that is still in the file may be a session's.
func (st *FileHistory) mayHoldChangeOf(sid string, at int) bool {
	gone := st.SelectChanges(shadow.StepScope{All: true}, at, st.ActiveChanges[len(st.ActiveChanges)-1]).gone
	return slices.ContainsFunc(gone, func(m int) bool { return st.changes[m].by.mayBe(sid) })
}

// keptApartText warns which files of a session keep their content, and how to rewind them, too.
func keptApartText(sid string, files []string) string {
	what := strings.Join(sessionstate.EncodePaths(files[:min(len(files), keptApartShown)]), ", ")
	if n := len(files) - keptApartShown; n > 0 {
		what = fmt.Sprintf("%s and %d more", what, n)
	}
	return fmt.Sprintf("session %s is at work now: what it has changed since stays (%s); --tree takes it along", sid, what)
}

// keptApartShown is how many of a session's files a warning names.
const keptApartShown = 3

// warnUndoneSessions warns of the idle or ended sessions whose later work the rewind of the whole tree
// undoes, because nobody has asked for that explicitly.
func (plan *Plan) warnUndoneSessions() {
	var names []string
	for _, c := range plan.Changes {
		for _, u := range c.Undoes {
			if name, ok := strings.CutPrefix(u.Who, WhoSession+" "); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		warning := fmt.Sprintf("what session %s did since goes back, too", name)
		if !plan.session.IsZero() { // a commit is no session's
			warning += fmt.Sprintf("; --session %s leaves it", plan.session)
		}
		plan.Warnings = append(plan.Warnings, warning)
	}
}
