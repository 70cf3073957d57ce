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

// autoScope is the whole tree, whoever changed it since. Only what another session
// may have done that is at work now stays: its agent counts on it.
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
	at := c.index(plan.step.OID) // noStep: the point is before all of them
	files, err := c.changedSince(at, len(c.steps))
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(p string) bool { return !plan.Scope.covers(p) })
	stories, err := c.stories(files)
	if err != nil {
		return err
	}
	for _, sid := range busy {
		var theirs []string
		for k := range stories {
			if stories[k].mayHave(sid, at) {
				theirs = append(theirs, files[k])
			}
		}
		if len(theirs) > 0 && at == noStep {
			plan.stays(theirs)
		}
		if len(theirs) > 0 {
			plan.Scope.Apart = append(plan.Scope.Apart, sid)
			plan.Warnings = append(plan.Warnings, apartText(sid, theirs))
		}
	}
	return nil
}

// stays notes files that are to stay as they are now: where the point is not among
// the steps since the last commit, changes of one file are not told apart.
func (p *RewindPlan) stays(files []string) {
	if p.theirs == nil {
		p.theirs = map[string]bool{}
	}
	for _, path := range files {
		p.theirs[path] = true
	}
}

// keepTheirs takes the files of sessions at work out of what is to be reached.
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

// busyBeside are the other sessions of this worktree that are at work now: in
// mid-turn, or with a subagent that has not ended.
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

// mayHave reports whether some of what stands of the changes after step at may be
// a session's.
func (st *story) mayHave(sid string, at int) bool {
	gone := st.choice(checkpoint.StepScope{All: true}, at, st.standing[len(st.standing)-1]).gone
	return slices.ContainsFunc(gone, func(m int) bool { return st.moves[m].by.maybe(sid) })
}

// apartText says what stays, whose it is and how to take it along.
func apartText(sid string, files []string) string {
	what := strings.Join(pathTexts(files[:min(len(files), apartShown)]), ", ")
	if n := len(files) - apartShown; n > 0 {
		what = fmt.Sprintf("%s and %d more", what, n)
	}
	return fmt.Sprintf("session %s is at work now: what it has changed since stays (%s); --tree takes it along", sid, what)
}

// apartShown is how many of a session's files are named.
const apartShown = 3

// tellTaken names the sessions that ended or rest and whose later work goes back
// with the whole tree, where nobody has asked for that in so many words.
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
