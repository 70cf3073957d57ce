package strategy

import (
	"context"
	"errors"
	"fmt"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/redact"
	"entire/session"
)

// ErrNoLabel is returned by SaveLabel for a label that has no visible character.
var ErrNoLabel = errors.New("the label is empty")

// SaveLabel saves the worktree as a labelled point. It works without a session, before the first
// commit, and when nothing has changed. If a session works in this worktree, the label is that
// session's point and holds its conversation so far. The point stays listed when its work is
// committed. The label becomes one line of at most 200 characters, without secrets.
func (s *ManualCommitStrategy) SaveLabel(ctx context.Context, label string) (RewindPoint, error) {
	if label = checkpoint.CleanLabel(redact.Text(label)); label == "" {
		return RewindPoint{}, ErrNoLabel
	}
	defer s.bringAlong(ctx)
	sid, err := s.labelled(ctx)
	if err != nil {
		return RewindPoint{}, fmt.Errorf("save point: %w", err)
	}
	var w writtenStep
	if sid.IsZero() {
		w, err = s.labelStep(ctx, nil, label)
	} else {
		err = s.inSession(ctx, sid, func(o *open) (err error) {
			w, err = s.labelStep(ctx, o, label)
			return err
		})
	}
	if err != nil {
		return RewindPoint{}, fmt.Errorf("save point: %w", err)
	}
	if err := s.keepLabel(ctx, w.commit); err != nil {
		return RewindPoint{}, fmt.Errorf("keep point: %w", err)
	}
	return s.FindPoint(ctx, w.commit.String())
}

// labelled returns the session that a new label belongs to, zero for none. Candidates are the
// sessions of this worktree that have not ended and that are based on HEAD or have pending work. A
// session in mid-turn comes first, then the one with the latest event.
func (s *ManualCommitStrategy) labelled(ctx context.Context) (id.SessionID, error) {
	sums, err := s.here(ctx)
	if err != nil {
		return id.SessionID{}, err
	}
	head, _, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return id.SessionID{}, err
	}
	var best session.Summary
	for _, sum := range sums {
		if sum.Phase == session.PhaseEnded || !pending(sum) && sum.BaseCommit != head.OID.String() {
			continue
		}
		active, was := sum.Phase == session.PhaseActive, best.Phase == session.PhaseActive
		if best.ID.IsZero() || active && !was || active == was && sum.LastInteraction.After(best.LastInteraction) {
			best = sum
		}
	}
	return best.ID, nil
}

// labelStep makes two steps: one for what changed since the last step, if anything did, and on top
// of it the label, which changes no file. o is nil without a session.
func (s *ManualCommitStrategy) labelStep(ctx context.Context, o *open, label string) (writtenStep, error) {
	snap, err := s.now(ctx)
	if err != nil {
		return writtenStep{}, err
	}
	n := newStep{base: snap.head, snap: snap}
	n.step = checkpoint.Step{Kind: checkpoint.StepHuman, Subject: "before label", Base: snap.head,
		StepContext: checkpoint.StepContext{Why: checkpoint.WhyBeforeLabel}}
	if s.othersAtWork(ctx, id.SessionID{}) { // an agent in mid-turn may have made some of the changes
		n.step.Kind = checkpoint.StepMixed
	}
	if o == nil {
		n.author = s.repo.Identity(ctx)
		n.author.When = s.Now()
	} else {
		if err := s.catchUp(ctx, o, snap); err != nil {
			return writtenStep{}, err
		}
		n.author, n.step.Session = s.author(ctx, o), o.id
		n.step.StepContext = o.moment(checkpoint.WhyBeforeLabel)
	}
	_, exists, err := s.repo.Reader(ctx).CommitOf(s.shadowRef(snap.head))
	if err != nil {
		return writtenStep{}, err
	}
	if exists || len(snap.files) > 0 {
		if _, err := s.writeStep(ctx, n); err != nil {
			return writtenStep{}, err
		}
	}
	n.step.Kind, n.step.Subject, n.step.Label, n.step.Why = checkpoint.StepLabel, label, label, checkpoint.WhyLabel
	if o != nil {
		if err := s.labelTalk(ctx, o, &n); err != nil {
			return writtenStep{}, err
		}
	}
	w, err := s.writeStep(ctx, n)
	if err == nil && o != nil {
		o.side.Backlog = o.side.Backlog && w.skipped
	}
	return w, err
}

// labelTalk adds the session's conversation so far to the step.
func (s *ManualCommitStrategy) labelTalk(ctx context.Context, o *open, n *newStep) error {
	if err := s.readWhatIsThere(ctx, o); err != nil {
		return err
	}
	var err error
	if n.overlay, err = s.sessionOverlay(o, s.turnPrompts(o), n.step.Subject); err != nil {
		return err
	}
	n.step.Transcript, n.step.Message = o.side.Capture.position(), o.moment("").Message
	n.also, err = s.backlogDone(ctx, o)
	return err
}
