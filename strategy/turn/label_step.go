package turn

import (
	"context"
	"errors"
	"fmt"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// ErrNoLabel is returned by SaveLabel for a label that has no visible character.
var ErrNoLabel = errors.New("the label is empty")

// SaveLabel saves the worktree as a labelled point. It works without a session, before the first
// commit, and when nothing has changed. If a session works in this worktree, the label is that
// session's point and holds its conversation so far. The point stays listed when its work is
// committed. The label becomes one line of at most 200 characters, without secrets.
func SaveLabel(ctx context.Context, s *sessionstate.Env, label string) (step.RewindPoint, error) {
	if label = shadow.CleanLabel(redact.Text(label)); label == "" {
		return step.RewindPoint{}, ErrNoLabel
	}
	defer condense.ApplyMoves(ctx, s)
	sid, err := sessionForLabel(ctx, s)
	if err != nil {
		return step.RewindPoint{}, fmt.Errorf("save point: %w", err)
	}
	var w step.WrittenStep
	if sid.IsZero() {
		w, err = LabelStep(ctx, s, nil, label)
	} else {
		err = s.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) (err error) {
			w, err = LabelStep(ctx, s, o, label)
			return err
		})
	}
	if err != nil {
		return step.RewindPoint{}, fmt.Errorf("save point: %w", err)
	}
	if err := step.KeepLabel(ctx, s, w.Commit); err != nil {
		return step.RewindPoint{}, fmt.Errorf("keep point: %w", err)
	}
	return step.FindPoint(ctx, s, w.Commit.String())
}

// sessionForLabel returns the session that a new label belongs to, zero for none. Candidates are the
// sessions of this worktree that have not ended and that are based on HEAD or have pending work. A
// session in mid-turn comes first, then the one with the latest event.
func sessionForLabel(ctx context.Context, s *sessionstate.Env) (id.SessionID, error) {
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return id.SessionID{}, err
	}
	head, _, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return id.SessionID{}, err
	}
	var best session.Summary
	for _, sum := range sums {
		if sum.Phase == session.PhaseEnded || !step.HasPendingWork(sum) && sum.BaseCommit != head.OID.String() {
			continue
		}
		active, was := sum.Phase == session.PhaseActive, best.Phase == session.PhaseActive
		if best.ID.IsZero() || active && !was || active == was && sum.LastInteraction.After(best.LastInteraction) {
			best = sum
		}
	}
	return best.ID, nil
}

// LabelStep makes two steps: one for what changed since the last step, if anything did, and on top
// of it the label, which changes no file. o is nil without a session.
func LabelStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, label string) (step.WrittenStep, error) {
	n, _, err := stepByHand(ctx, s, o, shadow.WhyBeforeLabel)
	if err != nil {
		return step.WrittenStep{}, err
	}
	n.Step.Kind, n.Step.Subject, n.Step.Label, n.Step.Why = shadow.StepLabel, label, label, shadow.WhyLabel
	if o != nil {
		if err := addConversation(ctx, s, o, &n); err != nil {
			return step.WrittenStep{}, err
		}
	}
	w, err := step.WriteStep(ctx, s, n)
	if err == nil && o != nil {
		o.Engine.HasBacklog = o.Engine.HasBacklog && w.Skipped
	}
	return w, err
}

// SaveBefore saves the files before a person's own command that may lose work, without a label. It returns
// the step that holds them, the zero OID if HEAD does and there is none.
func SaveBefore(ctx context.Context, s *sessionstate.Env, what string) (git.OID, error) {
	defer condense.ApplyMoves(ctx, s)
	sid, err := sessionForLabel(ctx, s)
	if err != nil {
		return git.OID{}, fmt.Errorf("save files: %w", err)
	}
	var w step.WrittenStep
	if why := redact.Text(shadow.WhyBeforeCommand + what); sid.IsZero() {
		_, w, err = stepByHand(ctx, s, nil, why)
	} else {
		err = s.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) (err error) {
			_, w, err = stepByHand(ctx, s, o, why)
			return err
		})
	}
	if err != nil {
		return git.OID{}, fmt.Errorf("save files: %w", err)
	}
	return w.Commit, nil
}

// stepByHand makes a step for what changed since the last step, if anything did or there is a step. o is nil
// without a session.
func stepByHand(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, why string) (n step.NewStep, w step.WrittenStep, err error) {
	return writeByHand(ctx, s, o, why, shadow.StepHuman)
}

// writeByHand is stepByHand for a step of a kind, which is mixed in any case while another session is in a turn.
func writeByHand(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, why string, kind shadow.StepKind) (n step.NewStep, w step.WrittenStep, err error) {
	snap, err := rewind.SnapshotNow(ctx, s)
	if err != nil {
		return n, w, err
	}
	n = step.NewStep{Snap: snap}
	n.Step = shadow.Step{Kind: kind, Subject: why, StepContext: shadow.StepContext{Why: why}}
	if why == shadow.WhyOutside {
		n.Step.Subject = "changes " + why
	}
	if condense.OthersActive(ctx, s, id.SessionID{}) { // an agent in mid-turn may have made some of the changes
		n.Step.Kind = shadow.StepMixed
	}
	if o == nil {
		n.Author = s.Repo.Identity(ctx)
		n.Author.When = s.Now()
	} else {
		if err := catchUp(ctx, s, o, snap); err != nil {
			return n, w, err
		}
		n.Author, n.Step.Session = s.AuthorOf(ctx, o), o.ID
		n.Step.StepContext = o.StepContext(why)
	}
	_, exists, err := s.Repo.Reader(ctx).CommitOf(worktree.ShadowRef(s, snap.Head))
	if err == nil && (exists || len(snap.Files) > 0) {
		w, err = step.WriteStep(ctx, s, n)
	}
	return n, w, err
}

// addConversation adds the session's conversation so far to the step.
func addConversation(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, n *step.NewStep) error {
	if err := TryReadTranscript(ctx, s, o); err != nil {
		return err
	}
	var err error
	if n.Overlay, err = step.SessionOverlay(s, o, s.TurnPrompts(o), n.Step.Subject); err != nil {
		return err
	}
	n.Step.Transcript, n.Step.Message = transcript.Position(&o.Engine.Capture), o.StepContext("").Message
	n.ExtraRefs, err = transcript.RemoveBacklog(ctx, s, o)
	return err
}
