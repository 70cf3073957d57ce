package strategy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// autoScope rewinds the whole tree, whoever changed it since. Only changes that a session active
// now may have made are kept, because its agent relies on them.
func (s *ManualCommitStrategy) autoScope(ctx context.Context, plan *RewindPlan) error {
	plan.Scope.Kind = ScopeTree
	if plan.sid.IsZero() || plan.Scope.SkipCode {
		return nil
	}
	busy, err := s.busyBeside(ctx, plan.sid)
	if err != nil || len(busy) == 0 {
		return err
	}
	c, err := s.chainFor(ctx, plan)
	if err != nil {
		s.Log.Warn("sessions not told apart", "err", err)
		return nil
	}
	at := c.index(plan.step.OID) // noStep if the point is before all steps
	files, err := c.changedSince(at, len(c.steps))
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(p string) bool { return !plan.Scope.covers(p) })
	histories, err := c.stories(files)
	if err != nil {
		return err
	}
	for _, sid := range busy {
		var kept []string
		for k := range histories {
			if histories[k].mayHave(sid, at) {
				kept = append(kept, files[k])
			}
		}
		if len(kept) > 0 && at == noStep {
			plan.stays(kept)
		}
		if len(kept) > 0 {
			plan.Scope.Apart = append(plan.Scope.Apart, sid)
			plan.Warnings = append(plan.Warnings, apartText(sid, kept))
		}
	}
	return nil
}

// stays notes files that keep their present content. It is used if the point is not among the
// steps since the last commit, where changes of one file cannot be separated.
func (p *RewindPlan) stays(files []string) {
	if p.theirs == nil {
		p.theirs = map[string]bool{}
	}
	for _, path := range files {
		p.theirs[path] = true
	}
}

// keepTheirs keeps the noted files of active sessions as they are in the tree to be reached.
func (s *ManualCommitStrategy) keepTheirs(ctx context.Context, plan *RewindPlan) error {
	if len(plan.theirs) == 0 {
		return nil
	}
	changes, err := s.codeDiff(ctx, plan.after, plan.before)
	if err != nil {
		return err
	}
	var edits []git.Edit
	for _, c := range changes {
		if plan.theirs[c.Path] {
			edits = append(edits, git.Edit{Path: c.Path, Mode: c.NewMode, OID: c.New})
		}
	}
	plan.after, err = s.repo.EditTree(ctx, plan.after, edits)
	return err
}

// busyBeside returns the other sessions of this worktree that are active now: in the middle of a
// turn, or with a subagent that has not ended.
func (s *ManualCommitStrategy) busyBeside(ctx context.Context, self id.SessionID) ([]string, error) {
	sums, err := s.here(ctx)
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
			o := &open{id: sum.ID}
			if err := s.readSession(ctx, o); err != nil {
				return nil, err
			}
			busy = len(o.side.Tasks) > 0
		}
		if busy {
			out = append(out, sum.ID.String())
		}
	}
	return out, nil
}

// mayHave reports whether a change after step at that is still in the file may be a session's.
func (st *story) mayHave(sid string, at int) bool {
	gone := st.choice(checkpoint.StepScope{All: true}, at, st.standing[len(st.standing)-1]).gone
	return slices.ContainsFunc(gone, func(m int) bool { return st.moves[m].by.maybe(sid) })
}

// apartText warns which files of a session keep their content, and how to rewind them, too.
func apartText(sid string, files []string) string {
	what := strings.Join(pathTexts(files[:min(len(files), apartShown)]), ", ")
	if n := len(files) - apartShown; n > 0 {
		what = fmt.Sprintf("%s and %d more", what, n)
	}
	return fmt.Sprintf("session %s is at work now: what it has changed since stays (%s); --tree takes it along", sid, what)
}

// apartShown is how many of a session's files a warning names.
const apartShown = 3

// tellTaken warns of the idle or ended sessions whose later work the rewind of the whole tree
// undoes, because nobody has asked for that explicitly.
func (plan *RewindPlan) tellTaken() {
	var names []string
	for _, c := range plan.Changes {
		for _, u := range c.Undoes {
			if name, ok := strings.CutPrefix(u.Who, whoSession+" "); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		plan.Warnings = append(plan.Warnings, fmt.Sprintf("what session %s did since goes back, too; --session %s leaves it", name, plan.sid))
	}
}
