package strategy

import (
	"context"
	"errors"

	"entire/agent"
	"entire/internal/redact"
	"entire/session"
)

// duringTurn saves the turn's changes so far as an agent's step, for the reason that the event
// gives. There is no step if nothing has changed since the turn began or since the step before.
// The end of the turn writes its own step.
func (s *ManualCommitStrategy) duringTurn(ctx context.Context, ev agent.Event) error {
	if ev.Why == "" {
		return nil
	}
	if _, err := s.store.Load(ctx, ev.SessionID); errors.Is(err, session.ErrNotFound) {
		return nil // no event told that the session began
	}
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.close()
	if o.state.Phase != session.PhaseActive || !o.side.Turn.Seen {
		return nil
	}
	snap, err := s.arrive(ctx, o, ev)
	if err != nil {
		return err
	}
	if err := s.catchUp(ctx, o, snap); err != nil {
		return err
	}
	turn := o.side.Turn
	if turn.Head == snap.head && turn.Digest == snap.files.digest() {
		return nil
	}
	if bare, err := s.nothingOnHead(ctx, snap); err != nil || bare {
		return err
	}
	o.why = redact.Text(ev.Why)
	if err := s.agentStep(ctx, o, snap); err != nil {
		return err
	}
	o.side.Turn.Partial = true
	return s.save(ctx, o)
}
