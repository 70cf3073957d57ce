package session

// Phase says what a session is doing.
type Phase string

// The phases. They reach disk.
const (
	PhaseIdle   Phase = "idle"   // between turns
	PhaseActive Phase = "active" // in the middle of a turn
	PhaseEnded  Phase = "ended"  // the agent has ended; the session may be resumed

	// legacyActive is the phase that older states give a session that committed in the middle
	// of its turn.
	legacyActive Phase = "active_committed"
)

// ParsePhase returns the phase written as s; an empty or unknown one is idle.
func ParsePhase(s string) Phase {
	switch Phase(s) {
	case PhaseActive, legacyActive:
		return PhaseActive
	case PhaseEnded:
		return PhaseEnded
	}
	return PhaseIdle
}

// EventKind is a kind of event in a session.
type EventKind string

// The events.
const (
	TurnStart    EventKind = "turn start"    // a prompt was submitted
	TurnEnd      EventKind = "turn end"      // the agent finished its answer
	GitCommit    EventKind = "git commit"    // somebody committed
	SessionStart EventKind = "session start" // the agent started or resumed
	SessionStop  EventKind = "session stop"  // the agent ended
)

// TransitionContext holds what a transition depends on besides phase and event.
type TransitionContext struct {
	// HasFilesTouched says that the session has changes that no checkpoint holds yet.
	HasFilesTouched bool
	// IsRebaseInProgress says that the commit is part of a rebase, cherry-pick or revert.
	IsRebaseInProgress bool
}

// Action is what a transition asks its caller to do.
type Action string

// The actions. State.Apply carries out the last two.
const (
	ActionCondense               Action = "condense"
	ActionCondenseIfFilesTouched Action = "condense if files touched"
	ActionDiscardIfNoFiles       Action = "discard if no files"
	ActionWarnStaleSession       Action = "warn of stale session"
	ActionClearEndedAt           Action = "clear ended_at"
	ActionUpdateLastInteraction  Action = "update last interaction"
)

// TransitionResult is the new phase of a session, and the actions for its caller, in order.
type TransitionResult struct {
	NewPhase Phase
	Actions  []Action
}

// Transition returns what an event does to a session. It is total: an unknown phase counts as
// idle, an unknown event changes nothing.
func Transition(current Phase, event EventKind, ctx TransitionContext) TransitionResult {
	current = ParsePhase(string(current))
	switch event {
	case TurnStart:
		return turnStart(current)
	case TurnEnd:
		if current == PhaseActive {
			return to(PhaseIdle, ActionUpdateLastInteraction)
		}
	case GitCommit:
		return gitCommit(current, ctx)
	case SessionStart:
		return sessionStart(current)
	case SessionStop:
		if current != PhaseEnded {
			return to(PhaseEnded, ActionUpdateLastInteraction)
		}
	}
	return to(current)
}

func turnStart(current Phase) TransitionResult {
	if current == PhaseEnded {
		return to(PhaseActive, ActionClearEndedAt, ActionUpdateLastInteraction)
	}
	// From active: the previous turn was interrupted without an event.
	return to(PhaseActive, ActionUpdateLastInteraction)
}

func gitCommit(current Phase, ctx TransitionContext) TransitionResult {
	switch {
	case ctx.IsRebaseInProgress:
		return to(current)
	case current != PhaseEnded:
		return to(current, ActionCondense, ActionUpdateLastInteraction)
	case ctx.HasFilesTouched:
		return to(PhaseEnded, ActionCondenseIfFilesTouched, ActionUpdateLastInteraction)
	}
	return to(PhaseEnded, ActionDiscardIfNoFiles, ActionUpdateLastInteraction)
}

func sessionStart(current Phase) TransitionResult {
	switch current {
	case PhaseActive:
		return to(PhaseActive, ActionWarnStaleSession)
	case PhaseEnded:
		return to(PhaseIdle, ActionClearEndedAt)
	}
	return to(current)
}

func to(p Phase, actions ...Action) TransitionResult {
	return TransitionResult{NewPhase: p, Actions: actions}
}
