package strategy

import (
	"context"
	"fmt"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
)

// firstPromptRunes is how much of a session's first prompt its state shows.
const firstPromptRunes = 100

// untrackedMax bounds the list of untracked files in a new session's state.
const untrackedMax = 1000

// turnStart records the worktree before the agent acts. Differences to the last step are a
// person's work, and become a step.
func (s *ManualCommitStrategy) turnStart(ctx context.Context, ev agent.Event) error {
	return s.inSession(ctx, ev.SessionID, func(o *open) error {
		snap, err := s.arrive(ctx, o, ev)
		if err != nil {
			return err
		}
		if o.state.Phase == session.PhaseActive && o.side.Turn.Seen {
			// Esc and Ctrl-C end a turn without an event.
			o.interrupted = true
			if err := s.finishTurn(ctx, o, snap); err != nil {
				return fmt.Errorf("close the interrupted turn: %w", err)
			}
			o.next = ""
		}
		return s.openTurn(ctx, o, ev, snap)
	})
}

// arrive takes a snapshot, looks for commits that no hook saw, and makes the session one of this
// worktree.
func (s *ManualCommitStrategy) arrive(ctx context.Context, o *open, ev agent.Event) (*snapshot, error) {
	snap, err := s.soon(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.lookForMissed(ctx, o, snap.head); err != nil {
		return nil, err
	}
	return snap, s.begin(ctx, o, ev, snap)
}

func (s *ManualCommitStrategy) openTurn(ctx context.Context, o *open, ev agent.Event, snap *snapshot) error {
	o.next = redact.Text(ev.Prompt) // the transcript may already hold it
	if err := s.endTurnBefore(ctx, o, snap); err != nil {
		return err
	}
	o.next = ""
	if err := s.noteTalk(o, ev); err != nil {
		return err
	}
	o.nextTurn()
	o.side.dropTasks(func(m *taskMark) bool { return !m.Background }) // a subagent in the foreground was interrupted
	o.side.Prompt = redact.Text(ev.Prompt)
	if key := agent.PromptKey(agent.CleanPrompt(o.side.Prompt)); key != "" {
		o.side.asked(o.side.Turns, key)
	}
	return s.markTurn(ctx, o, snap)
}

// endTurnBefore completes the end of the last turn and moves the session's steps to HEAD.
func (s *ManualCommitStrategy) endTurnBefore(ctx context.Context, o *open, snap *snapshot) error {
	if err := s.finalise(ctx, o); err != nil {
		return err
	}
	if err := s.catchUp(ctx, o, snap); err != nil {
		return err
	}
	return s.leadAlong(ctx, o, snap)
}

// markTurn records the present state as the start of the turn.
func (s *ManualCommitStrategy) markTurn(ctx context.Context, o *open, snap *snapshot) error {
	step, err := s.humanStep(ctx, o, snap)
	if err != nil {
		return err
	}
	o.wasLate(snap, true)
	s.dropReverted(ctx, o, snap)
	o.side.Turn = turnMark{Head: snap.head, Step: step, Digest: snap.files.digest(), Seen: true}
	if o.side.Capture.Talk != nil {
		o.side.Turn.Talk = o.side.Capture.Talk.Mark()
	}
	o.side.Turn.Said, o.side.Turn.Lines = unreadOf(o)
	turn, err := id.Generate()
	if err != nil {
		return err
	}
	o.state.TurnID = turn.String()
	o.state.LastCheckpointID = id.CheckpointID{}
	s.transition(o, session.TurnStart)
	return nil
}

// now takes a snapshot of the worktree.
func (s *ManualCommitStrategy) now(ctx context.Context) (*snapshot, error) {
	return s.nowReading(ctx, ctx)
}

// nowReading is now, but leaves out the files that are not read when the context reading ends.
func (s *ManualCommitStrategy) nowReading(ctx, reading context.Context) (*snapshot, error) {
	st, err := s.withIncluded(ctx, s.repo.StartStatus(ctx))
	if err != nil {
		return nil, err
	}
	snap, err := s.takeSnapshotReading(ctx, reading, st)
	if err != nil {
		return nil, err
	}
	s.lookAround(st, snap)
	return snap, nil
}

// humanStep saves the differences to the last step and returns the step that the worktree equals
// now, zero if that is HEAD itself.
func (s *ManualCommitStrategy) humanStep(ctx context.Context, o *open, snap *snapshot) (git.OID, error) {
	c, ref := s.loadCache(), s.shadowRef(snap.head)
	if c.ref == ref && c.head == snap.head && !c.tip.IsZero() && c.files.equal(snap.files) {
		if snap.hashed > 0 { // the cache did not trust the stat data of files that had just changed
			snap.gaps = c.gaps
			s.saveCache(snap.cacheOf(ref, c.tip))
		}
		return c.tip, nil
	}
	if len(snap.files) == 0 && c.tip.IsZero() && c.head == snap.head { // no step on this commit
		return git.OID{}, nil
	}
	_, exists, err := s.repo.Reader(ctx).CommitOf(ref)
	if err != nil {
		return git.OID{}, err
	}
	if !exists && len(snap.files) == 0 {
		s.saveCache(snap.cacheOf("", git.OID{}))
		return git.OID{}, nil
	}
	w, err := s.writeStep(ctx, newStep{
		step: checkpoint.Step{Kind: s.foundKind(ctx, o), Subject: "changes before the turn", Session: o.id, Base: snap.head,
			StepContext: o.moment(checkpoint.WhyPrompt)},
		author: s.author(ctx, o), base: snap.head, snap: snap,
	})
	if err != nil {
		return git.OID{}, err
	}
	if w.skipped {
		s.saveCache(snap.cacheOf(ref, w.commit))
	}
	return w.commit, nil
}

// foundKind returns the kind of a step with changes that the session did not make: a person's,
// or mixed if another session is active.
func (s *ManualCommitStrategy) foundKind(ctx context.Context, o *open) checkpoint.StepKind {
	if s.othersAtWork(ctx, o.id) {
		return checkpoint.StepMixed
	}
	return checkpoint.StepHuman
}

// turnEnd saves the agent's work as a step.
func (s *ManualCommitStrategy) turnEnd(ctx context.Context, ev agent.Event) error {
	return s.inSession(ctx, ev.SessionID, func(o *open) error {
		snap, err := s.arrive(ctx, o, ev)
		if err != nil {
			return err
		}
		if err := s.noteTalk(o, ev); err != nil {
			return err
		}
		if err := s.finishTurn(ctx, o, snap); err != nil {
			return err
		}
		o.keepAtWork(ev.AtWork)
		if o.side.Turn.Told = o.side.inBackground(); !o.side.Turn.Told {
			s.transition(o, session.TurnEnd)
		}
		return nil
	})
}

// finishTurn makes the agent's step if anything changed since the turn began, and completes the
// checkpoints of commits that were made during the turn.
func (s *ManualCommitStrategy) finishTurn(ctx context.Context, o *open, snap *snapshot) error {
	o.side.NotCaptured = bounded(snap.skipped)
	if err := s.catchUp(ctx, o, snap); err != nil {
		return err
	}
	if err := s.setApart(ctx, o, snap); err != nil {
		return err
	}
	o.wasLate(snap, false)
	turn := o.side.Turn
	if turn.Seen && !turn.Partial && turn.Head == snap.head && turn.Digest == snap.files.digest() {
		s.lookForHidden(ctx, o, snap.head)
		return s.finalise(ctx, o)
	}
	if bare, err := s.nothingOnHead(ctx, snap); err != nil {
		return err
	} else if bare && turn.Head != snap.head {
		s.lookForHidden(ctx, o, snap.head)
		return s.finalise(ctx, o) // only HEAD has moved
	}
	if err := s.agentStep(ctx, o, snap); err != nil {
		return err
	}
	o.side.Turn.Own = true
	return s.finalise(ctx, o)
}

// nothingOnHead reports whether the worktree equals HEAD and no step exists on that commit, so
// that no step is needed to restore it.
func (s *ManualCommitStrategy) nothingOnHead(ctx context.Context, snap *snapshot) (bool, error) {
	if len(snap.files) > 0 {
		return false, nil
	}
	_, exists, err := s.repo.Reader(ctx).CommitOf(s.shadowRef(snap.head))
	return !exists, err
}
