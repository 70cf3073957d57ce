package evidence

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

const (
	// elsewhereMax bounds how many sessions of other worktrees are examined for one commit.
	elsewhereMax = 20
	// elsewhereAge is the time since its last event after which a session of another worktree counts as
	// abandoned in its turn, and what its calls wrote outside of its worktree as committed.
	elsewhereAge = 24 * time.Hour
)

// SessionsElsewhere returns the repository's sessions in other worktrees that may have work in a commit
// of this one, the last active first.
func SessionsElsewhere(ctx context.Context, s *sessionstate.Env) ([]session.Summary, error) {
	if linked := filepath.Join(s.Repo.CommonDir, "worktrees"); s.Repo.WorktreeID == "" && !sessionstate.PathExists(linked) {
		return nil, nil
	}
	all, err := s.Store.Summaries(ctx)
	if err != nil {
		return nil, err
	}
	var out []session.Summary
	for _, sum := range all {
		if sum.WorktreePath != "" && (step.HasPendingWork(sum) || isRecent(s, sum)) && !s.InThisWorktree(sum.WorktreePath, sum.WorktreeID) {
			out = append(out, sum)
		}
	}
	slices.SortStableFunc(out, func(a, b session.Summary) int { return b.LastInteraction.Compare(a.LastInteraction) })
	return out[:min(len(out), elsewhereMax)], nil
}

// ChooseElsewhere returns those of the sessions that are proven to have work in the changes of a commit: the
// sessions of one other worktree, that of the last active.
func ChooseElsewhere(ctx context.Context, s *sessionstate.Env, sums []session.Summary, changes []git.Change) ([]id.SessionID, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	var chosen []id.SessionID
	where := ""
	for _, sum := range sums {
		if where != "" && sum.WorktreePath != where {
			continue
		}
		if !isRecent(s, sum) && !sum.Touches(func(p string) bool { return changesPath(changes, sessionstate.DecodePath(p)) }) {
			continue
		}
		o := &sessionstate.LockedSession{ID: sum.ID}
		if err := s.ReadSession(ctx, o); err != nil {
			return nil, err
		}
		if o.IsNew {
			continue
		}
		files, err := WorkElsewhere(ctx, s, o, changes)
		if err != nil {
			return nil, err
		}
		if len(files) > 0 {
			where, chosen = sum.WorktreePath, append(chosen, o.ID)
		}
	}
	slices.SortFunc(chosen, func(a, b id.SessionID) int { return compareText(a.String(), b.String()) })
	return chosen, nil
}

func isAtWork(s *sessionstate.Env, sum session.Summary) bool {
	return sum.Phase == session.PhaseActive && isRecent(s, sum)
}

func isRecent(s *sessionstate.Env, sum session.Summary) bool {
	return s.Now().Sub(sum.LastInteraction) < elsewhereAge
}

func changesPath(changes []git.Change, path string) bool {
	return slices.ContainsFunc(changes, func(c git.Change) bool { return c.Path == path })
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// WorkElsewhere returns the paths of a commit that are the work of a session of another worktree: those
// that its calls edited in this worktree, those that gained a line which its calls wrote to this path in either
// worktree, and those that have the content that its last step left in the other one. If the session's agent
// makes the commit itself and no call shows more, it returns all paths: a call that may commit is open, or the
// transcript shows no call yet, and this process descends from the agent. An editor runs agents and a person's
// commits, so that the process alone proves nothing.
func WorkElsewhere(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, changes []git.Change) ([]string, error) {
	var w transcript.SessionWork
	atWork := step.InTurn(o) && isAtWork(s, o.State.Summary())
	defer ExamineElsewhere(s, o, false)()
	if atWork {
		ScanLiveTranscript(s, o, &w)
	}
	same, err := sameElsewhere(ctx, s, o, changes)
	if err != nil {
		return nil, err
	}
	called := calledElsewhere(ctx, s, o, changes)
	w.Active = atWork
	makes := atWork && (w.CallMayCommit || mayCommitUnseen(w, WhoCommits(s))) && commitsHere(s, o)
	var out []string
	for _, c := range changes {
		if w.Edited[c.Path] || same[c.Path] || called[c.Path] || makes && w.Reach.MayHaveWritten(c.Path) {
			out = append(out, sessionstate.EncodePath(c.Path))
		}
	}
	if len(out) == 0 && makes {
		for _, c := range changes {
			out = append(out, sessionstate.EncodePath(c.Path))
		}
	}
	return out, nil
}

// ExamineElsewhere makes the engine read the session's paths as those of its own worktree, until done is
// called. If counts is true, a path there stands for the same path of this worktree.
func ExamineElsewhere(s *sessionstate.Env, o *sessionstate.LockedSession, counts bool) (done func()) {
	was, counted := s.SessionTop, s.SessionTopCounts
	s.SessionTop, s.SessionTopCounts = sessionstate.DecodePath(o.State.WorktreePath), counts
	return func() { s.SessionTop, s.SessionTopCounts = was, counted }
}

// commitsHere reports whether this process descends from the session's agent.
func commitsHere(s *sessionstate.Env, o *sessionstate.LockedSession) bool {
	return o.Engine.AgentProcess != nil && slices.Contains(s.ProcessesAbove(), *o.Engine.AgentProcess)
}

// sameElsewhere returns the paths that have, after the changes, the content that the session's last step
// left in its own worktree. A removed or an empty file proves nothing.
func sameElsewhere(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, changes []git.Change) (map[string]bool, error) {
	same := map[string]bool{}
	if len(o.State.FilesTouched) == 0 {
		return same, nil
	}
	rd := s.Repo.Reader(ctx)
	tip, ok, err := rd.CommitOf(ShadowElsewhere(o))
	if err != nil || !ok {
		return same, err
	}
	touched := worktree.SetOf(sessionstate.DecodePaths(o.State.FilesTouched))
	for _, c := range changes {
		if !touched[c.Path] || step.BlobOf(c.NewMode, c.New).IsZero() || c.New == s.Repo.BlobOID(nil) || c.New == c.Old {
			continue
		}
		left, found, err := rd.Path(tip.Tree, c.Path)
		if err != nil && !errors.Is(err, git.ErrMissing) {
			return nil, err
		}
		same[c.Path] = err == nil && found && left.OID == c.New
	}
	return same, nil
}

// CallsElsewhere returns, by path, the lines that calls of a session of another worktree wrote there or in this one.
func CallsElsewhere(s *sessionstate.Env, o *sessionstate.LockedSession) map[string]map[attribution.Print]bool {
	defer ExamineElsewhere(s, o, true)()
	wrote := map[string]map[attribution.Print]bool{}
	for _, call := range o.Engine.Capture.Calls {
		path, ok := transcript.RepoPath(s, call.Path)
		if !ok {
			continue
		}
		if wrote[path] == nil {
			wrote[path] = map[attribution.Print]bool{}
		}
		for _, line := range call.Lines {
			wrote[path][line] = true
		}
	}
	return wrote
}

// calledElsewhere returns the paths that gain a distinctive line by the changes which a call of the session wrote there,
// in its own worktree or in this one: somebody has carried it over, or the call wrote here.
func calledElsewhere(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, changes []git.Change) map[string]bool {
	wrote, called, e := CallsElsewhere(s, o), map[string]bool{}, Evidence(ctx, s)
	for _, c := range changes {
		if len(wrote[c.Path]) == 0 {
			continue
		}
		was, now, ok := e.blobs(step.BlobOf(c.OldMode, c.Old), step.BlobOf(c.NewMode, c.New))
		had := attribution.PrintSet(was)
		for _, line := range attribution.DistinctivePrints(now) {
			called[c.Path] = called[c.Path] || ok && wrote[c.Path][line] && !had[line]
		}
	}
	return called
}

// ShadowElsewhere returns the shadow branch of a session in its own worktree.
func ShadowElsewhere(o *sessionstate.LockedSession) string {
	return shadow.Ref(o.State.BaseCommit, o.State.WorktreeID)
}
