package strategy

import (
	"context"
	"slices"

	"entire/agent"
	"entire/internal/git"
	"entire/session"
)

// claimMidTurn adds to a session in mid-turn the files that it has changed in this turn and that
// the commit carries forward. Their step is another session's, and the start of the turn moves to
// that step: at the turn's end these files would look unchanged.
func (s *ManualCommitStrategy) claimMidTurn(ctx context.Context, o *open, cm madeCommit, done settled) error {
	if o.state.Phase != session.PhaseActive || !o.side.Turn.Seen || len(done.remain) == 0 || done.tip.IsZero() {
		return nil
	}
	before, err := s.markedTree(ctx, o.side.Turn, cm.parent)
	if err != nil {
		return err
	}
	tip, err := s.repo.Reader(ctx).Commit(done.tip)
	if err != nil {
		return err
	}
	changed, err := s.codeDiff(ctx, before, tip.Tree)
	if err != nil {
		return err
	}
	changed = slices.DeleteFunc(changed, func(c git.Change) bool {
		_, uncommitted := done.remain.find(c.Path)
		return !uncommitted || cm.took(c.Path)
	})
	if len(changed) == 0 {
		return nil
	}
	claimed, named := s.othersFiles(ctx, o.id, cm.sums, setOf(paths(changed)))
	var w work
	if len(claimed)+len(named) > 0 {
		s.witness(o, &w) // a file that the session's own edit calls wrote is its own, whoever else was active
	}
	own := slices.DeleteFunc(paths(changed), func(p string) bool { return !w.edited[p] && (claimed[p] || named[p]) })
	s.rememberBefore(o, changed, own)
	o.state.TouchFiles(pathTexts(own)...)
	return nil
}

// nextPart returns the transcript line at which the next checkpoint's part begins: after what has
// been read or, in mid-turn, before the first edit of a file that the turn has not committed yet.
// Other tools look there for the work of a later commit in the turn.
func (s *ManualCommitStrategy) nextPart(ctx context.Context, o *open, cm madeCommit) int {
	t := o.side.Capture.Talk
	if o.state.Phase != session.PhaseActive || t.Agent == agent.AgentTypeGemini {
		return t.Items()
	}
	committed, lines := setOf(paths(cm.changes)), map[string]int{}
	var uncommitted []git.Change
	for _, e := range t.Edits {
		path, ok := s.relative(e.Path)
		if _, known := lines[path]; !ok || known || committed[path] || e.Line <= o.state.CheckpointTranscriptStart || len(uncommitted) == handedMax {
			continue
		}
		in, found, err := s.repo.Reader(ctx).Path(cm.Tree, path)
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
	same, err := s.asCommitted(ctx, uncommitted)
	if err != nil {
		s.Log.Warn("what the turn has still to commit is not known", "session_id", o.id.String(), "err", err)
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
