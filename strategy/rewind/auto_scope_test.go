package rewind_test

import (
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/rewind"
)

// InTurn is a file as two sessions leave it that came one after the other.
func inTurn(w *enginetest.World) (point string) {
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	point = w.Points()[0].ID
	w.Turn("s2", "then", func() {
		w.Write("a.txt", "two\n")
		w.Write("two.txt", "two\n")
	})
	return point
}

// TestSessionsOneAfterTheOtherGoBackTogether: what a later session did that has
// ended, or waits for a prompt, goes back with the earlier one's point.
func TestSessionsOneAfterTheOtherGoBackTogether(t *testing.T) {
	t.Parallel()
	for _, ended := range []bool{true, false} {
		w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
		point := inTurn(w)
		if ended {
			w.Event(agent.SessionEnd, "s2", nil)
		}
		before := w.Files()
		plan, out := w.RewindIn(point, condense.Scope{})
		if w.Read("a.txt") != "one\n" || w.Exists("two.txt") || len(plan.Changes) != 2 {
			t.Errorf("ended %v: a.txt %q, two.txt %v, changes %v", ended, w.Read("a.txt"), w.Exists("two.txt"), plan.Changes)
		}
		if told := strings.Join(out.Warnings, "\n"); !strings.Contains(told, "session s2 did since goes back, too; --session s1 leaves it") {
			t.Errorf("ended %v: told %q", ended, told)
		}
		w.Back(enginetest.Undoing, "")
		w.Has("undo", before)
		w.Fsck()
	}
}

// TestASessionAtWorkIsKeptApart: of three sessions the one in mid-turn keeps what it
// did, by name, and --tree takes it along.
func TestASessionAtWorkIsKeptApart(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n", "three.txt": "zero\n"}))
	point := inTurn(w)
	w.Event(agent.SessionEnd, "s2", nil)
	w.Turn("s3", "at work", func() { w.Write("three.txt", "three\n") })
	w.Prompt("s3", "still at work")
	before := w.Files()
	plan, out := w.RewindIn(point, condense.Scope{})
	if w.Read("a.txt") != "one\n" || w.Exists("two.txt") || w.Read("three.txt") != "three\n" {
		t.Errorf("a.txt %q, two.txt %v, three.txt %q", w.Read("a.txt"), w.Exists("two.txt"), w.Read("three.txt"))
	}
	if !slices.Equal(plan.Scope.KeepSessions, []string{"s3"}) || plan.Scope.Kind != condense.ScopeTree {
		t.Errorf("scope %+v", plan.Scope)
	}
	if told := strings.Join(out.Warnings, "\n"); !strings.Contains(told, "session s3 is at work now: what it has changed since stays (three.txt); --tree takes it along") {
		t.Errorf("told %q", told)
	}
	w.Back(enginetest.Undoing, "")
	w.Has("undo", before)
	w.Back(enginetest.Redoing, "")
	if w.Read("a.txt") != "one\n" || w.Read("three.txt") != "three\n" {
		t.Errorf("redone: a.txt %q, three.txt %q", w.Read("a.txt"), w.Read("three.txt"))
	}
	w.Stop("s3")
	if got := w.State("s3").FilesTouched; !slices.Equal(got, []string{"three.txt"}) {
		t.Errorf("the session at work has %v", got)
	}
	if plan, _ := w.RewindIn(point, condense.Scope{}); w.Read("three.txt") != "zero\n" {
		t.Errorf("not at work any more, and left: %+v", plan.Scope)
	}
	w.Fsck()
}

// TestARewindThatChangesNothingIsKnown: neither files nor conversation.
func TestARewindThatChangesNothingIsKnown(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	plan := func() *rewind.Plan {
		t.Helper()
		e := w.Engine()
		p, err := rewind.PlanRewind(w.Ctx, e, w.Points()[0], condense.Scope{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := plan(); !p.Nothing() {
		t.Errorf("at the point already: %+v, conversation %v", p.Changes, p.Conversation)
	}
	w.Turn("s1", "only talk", func() {})
	if p := plan(); p.Nothing() || !p.Conversation || len(p.Changes) > 0 {
		t.Errorf("only talked since: %+v, conversation %v", p.Changes, p.Conversation)
	}
	w.Write("a.txt", "mine\n")
	if p := plan(); p.Nothing() || len(p.Changes) != 1 {
		t.Errorf("a file differs: %+v", p.Changes)
	}
}
