package session

import (
	"fmt"
	"slices"
	"testing"
)

func TestTransition(t *testing.T) {
	t.Parallel()
	const (
		condense = ActionCondense
		ifFiles  = ActionCondenseIfFilesTouched
		discard  = ActionDiscardIfNoFiles
		stale    = ActionWarnStaleSession
		clear    = ActionClearEndedAt
		touch    = ActionUpdateLastInteraction
	)
	type row struct {
		to      Phase
		actions []Action
	}
	same := func(r row) map[TransitionContext]row {
		return map[TransitionContext]row{{false, false}: r, {true, false}: r, {false, true}: r, {true, true}: r}
	}
	commit := func(phase Phase, without, with []Action) map[TransitionContext]row {
		return map[TransitionContext]row{
			{false, false}: {phase, without}, {true, false}: {phase, with},
			{false, true}: {phase, nil}, {true, true}: {phase, nil},
		}
	}
	table := map[Phase]map[EventKind]map[TransitionContext]row{
		PhaseIdle: {
			TurnStart:    same(row{PhaseActive, []Action{touch}}),
			TurnEnd:      same(row{PhaseIdle, nil}),
			GitCommit:    commit(PhaseIdle, []Action{condense, touch}, []Action{condense, touch}),
			SessionStart: same(row{PhaseIdle, nil}),
			SessionStop:  same(row{PhaseEnded, []Action{touch}}),
		},
		PhaseActive: {
			TurnStart:    same(row{PhaseActive, []Action{touch}}),
			TurnEnd:      same(row{PhaseIdle, []Action{touch}}),
			GitCommit:    commit(PhaseActive, []Action{condense, touch}, []Action{condense, touch}),
			SessionStart: same(row{PhaseActive, []Action{stale}}),
			SessionStop:  same(row{PhaseEnded, []Action{touch}}),
		},
		PhaseEnded: {
			TurnStart:    same(row{PhaseActive, []Action{clear, touch}}),
			TurnEnd:      same(row{PhaseEnded, nil}),
			GitCommit:    commit(PhaseEnded, []Action{discard, touch}, []Action{ifFiles, touch}),
			SessionStart: same(row{PhaseIdle, []Action{clear}}),
			SessionStop:  same(row{PhaseEnded, nil}),
		},
	}
	table[""] = table[PhaseIdle]
	table["dreaming"] = table[PhaseIdle]
	table["active_committed"] = table[PhaseActive]

	checked := 0
	for phase, events := range table {
		for event, contexts := range events {
			for ctx, want := range contexts {
				got := Transition(phase, event, ctx)
				if got.NewPhase != want.to || !slices.Equal(got.Actions, want.actions) {
					t.Errorf("%q, %s, %+v: got %+v, want %+v", phase, event, ctx, got, want)
				}
				checked++
			}
		}
	}
	if want := 6 * 5 * 4; checked != want {
		t.Errorf("%d rows checked, want %d", checked, want)
	}
}

func TestTransitionUnknownEvent(t *testing.T) {
	t.Parallel()
	for _, phase := range []Phase{PhaseIdle, PhaseActive, PhaseEnded} {
		if got := Transition(phase, "eclipse", TransitionContext{}); got.NewPhase != phase || got.Actions != nil {
			t.Errorf("%s: got %+v", phase, got)
		}
	}
}

func TestParsePhase(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Phase{
		"idle": PhaseIdle, "active": PhaseActive, "ended": PhaseEnded,
		"active_committed": PhaseActive, "": PhaseIdle, "ACTIVE": PhaseIdle, "x": PhaseIdle,
	} {
		if got := ParsePhase(in); got != want {
			t.Errorf("ParsePhase(%q) = %s, want %s", in, got, want)
		}
	}
}

func ExampleTransition() {
	r := Transition(PhaseEnded, TurnStart, TransitionContext{})
	fmt.Println(r.NewPhase, r.Actions)
	// Output: active [clear ended_at update last interaction]
}
