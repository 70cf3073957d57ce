package condense

import (
	"context"
	"slices"

	"entire/agent/agents"
	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// ClaimOpenTurns claims what the sessions in the middle of a turn have done up to a step of the
// present. A rewind starts their turns anew, and their work before it would otherwise have an
// unknown author.
func ClaimOpenTurns(ctx context.Context, s *sessionstate.Env, snap *worktree.Snapshot, tip git.OID) error {
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return err
	}
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive {
			continue
		}
		err := s.UpdateSession(ctx, sum.ID, func(o *sessionstate.LockedSession) error { return claimOpenTurn(ctx, s, o, snap, tip) })
		if err != nil {
			return err
		}
	}
	return nil
}

// claimOpenTurn is ClaimOpenTurns for one session.
func claimOpenTurn(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot, tip git.OID) error {
	if o.IsNew || o.State.Phase != session.PhaseActive || !o.Engine.TurnStart.Seen {
		return nil
	}
	before, err := TurnStartTree(ctx, s, o.Engine.TurnStart, snap.Head)
	if err != nil {
		return err
	}
	c, err := s.Repo.Reader(ctx).Commit(tip)
	if err != nil {
		return err
	}
	w := step.WrittenStep{Commit: c.OID, Tree: c.Tree}
	w.Skipped = shadow.ParseStep(c.Message).Kind == shadow.StepRewind // a rewind's changes are no session's
	if len(c.Parents) > 0 {
		w.Parent = c.Parents[0]
	}
	changed, err := step.CodeDiff(ctx, s, before, w.Tree)
	if err != nil {
		return err
	}
	claimed := ClaimedPaths(ctx, s, o, snap, w, changed)
	RememberBefore(s, o, changed, claimed)
	o.State.TouchFiles(sessionstate.EncodePaths(claimed)...)
	return nil
}

// claimMidTurn adds to a session in mid-turn the files that it has changed in this turn and that
// the commit carries forward. Their step is another session's, and the start of the turn moves to
// that step: at the turn's end these files would look unchanged.
func claimMidTurn(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, cm githead.MadeCommit, done carryResult) error {
	if o.State.Phase != session.PhaseActive || !o.Engine.TurnStart.Seen || len(done.remaining) == 0 || done.tip.IsZero() {
		return nil
	}
	before, err := TurnStartTree(ctx, s, o.Engine.TurnStart, cm.Parent)
	if err != nil {
		return err
	}
	tip, err := s.Repo.Reader(ctx).Commit(done.tip)
	if err != nil {
		return err
	}
	changed, err := step.CodeDiff(ctx, s, before, tip.Tree)
	if err != nil {
		return err
	}
	changed = slices.DeleteFunc(changed, func(c git.Change) bool {
		_, uncommitted := worktree.Find(done.remaining, c.Path)
		return !uncommitted || autoCommitted(cm, c.Path)
	})
	if len(changed) == 0 {
		return nil
	}
	claimed, named := OthersFiles(ctx, s, o.ID, cm.Sessions, worktree.SetOf(step.Paths(changed)))
	var w transcript.SessionWork
	if len(claimed)+len(named) > 0 {
		evidence.ScanLiveTranscript(s, o, &w) // a file that the session's own calls wrote is its own, whoever else was active
	}
	own := slices.DeleteFunc(step.Paths(changed), func(p string) bool { return !w.Edited[p] && !w.Reach.Wrote(p) && (claimed[p] || named[p]) })
	RememberBefore(s, o, changed, own)
	o.State.TouchFiles(sessionstate.EncodePaths(own)...)
	return nil
}

// nextPartStart returns the transcript line at which the next checkpoint's part begins: after what has
// been read or, in mid-turn, before the first edit of a file that the turn has not committed yet.
// Other tools look there for the work of a later commit in the turn.
func nextPartStart(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, cm githead.MadeCommit) int {
	t := o.Engine.Capture.Conversation
	if o.State.Phase != session.PhaseActive || agents.CountsMessages(t.Agent) {
		return t.Items()
	}
	committed, lines := worktree.SetOf(step.Paths(cm.Changes)), map[string]int{}
	var uncommitted []git.Change
	for _, e := range t.Edits {
		path, ok := transcript.RepoPath(s, e.Path)
		if _, known := lines[path]; !ok || known || committed[path] || e.Line <= o.State.CheckpointTranscriptStart || len(uncommitted) == githead.TreeDiffMax {
			continue
		}
		in, found, err := s.Repo.Reader(ctx).Path(cm.Tree, path)
		if err != nil {
			continue
		}
		lines[path] = e.Line
		c := git.Change{Path: path}
		if found {
			c.OldMode, c.Old = in.Mode, in.OID
		}
		uncommitted = append(uncommitted, c)
	}
	if len(uncommitted) == 0 {
		return t.Items()
	}
	same, err := equalToCommit(ctx, s, uncommitted)
	if err != nil {
		s.Log.Warn("what the turn has still to commit is not known", "session_id", o.ID.String(), "err", err)
		return t.Items()
	}
	next := t.Items()
	for path, line := range lines {
		if !same[path] {
			next = min(next, line-1)
		}
	}
	return next
}
