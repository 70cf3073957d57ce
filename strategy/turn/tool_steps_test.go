package turn_test

import (
	"strings"
	"testing"

	"entire/checkpoint/shadow"
	"entire/internal/testrepo"
	"entire/strategy/internal/enginetest"
)

// TestCheckpointsInMidTurn: what a turn has changed is saved when there is a reason,
// once, says why, can be gone back to, and the turn's end and its commit are as if it
// had not been.
func TestCheckpointsInMidTurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n", "b.txt": "b\n"}))
	w.Tool("nobody", shadow.WhyBeforeCommand+"rm -r")
	if len(w.Shadows()) != 0 {
		t.Fatalf("a session that never began has steps: %v", w.Shadows())
	}
	w.Prompt("s1", "Count on")
	w.Tool("s1", shadow.WhyBeforeCommand+"rm -r")
	if len(w.Shadows()) != 0 {
		t.Errorf("nothing has changed, and there is a step: %v", w.Shadows())
	}
	w.Write("a.txt", "one\ntwo\n")
	w.Tool("s1", "")
	if len(w.Shadows()) != 0 {
		t.Errorf("without a reason there is a step: %v", w.Shadows())
	}
	w.Tool("s1", shadow.WhyBeforeCommand+"rails db:migrate")
	w.Tool("s1", shadow.WhyBeforeTool+"Bash") // nothing has changed since
	points := w.Points()
	if len(points) != 1 || points[0].Why != shadow.WhyBeforeCommand+"rails db:migrate" || !shadow.IsAutomatic(points[0].Why) ||
		points[0].Turn != 1 || !strings.HasPrefix(points[0].Message, "Before command rails db:migrate: Count on") {
		t.Fatalf("points %+v", points)
	}
	saved := points[0].ID
	w.Write("a.txt", "lost\n")
	w.Remove("b.txt")
	w.Stop("s1")
	points = w.Points()
	if len(points) != 2 || points[0].Why != shadow.WhyTurnEnd {
		t.Fatalf("after the turn: %+v", points)
	}
	w.Tool("s1", shadow.WhyEvery+"10 minutes") // between two turns
	if got := len(w.Points()); got != 2 {
		t.Errorf("%d points after a call out of a turn", got)
	}
	w.Rewind(saved)
	if w.Read("a.txt") != "one\ntwo\n" || w.Read("b.txt") != "b\n" {
		t.Errorf("back there, a.txt is %q and b.txt %q", w.Read("a.txt"), w.Read("b.txt"))
	}
	w.Git("add", "-A")
	cp := w.CommitHooked("two")
	if cp == "" || !strings.Contains(w.Metadata(cp, "metadata.json"), `"a.txt"`) {
		t.Errorf("checkpoint %q of the commit: %s", cp, w.Metadata(cp, "metadata.json"))
	}
}

// TestTurnEndAfterMidTurn: the conversation of a turn that changed nothing after its
// checkpoint is in a step, too, and all its lines are the agent's.
func TestTurnEndAfterMidTurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.Turn("s1", "Count on", func() {
		w.Write("a.txt", "one\ntwo\nthree\n")
		w.Tool("s1", shadow.WhyAfterTool+"Edit")
	})
	if points := w.Points(); len(points) != 2 || points[0].Why != shadow.WhyTurnEnd {
		t.Fatalf("points %+v", points)
	}
	w.Git("add", "-A")
	cp := w.CommitHooked("counted")
	if text := w.Metadata(cp, "attribution.json"); !strings.Contains(text, `"start":2,"count":2,"owner":0`) || !strings.Contains(text, `{"class":"agent","session_id":"s1"`) {
		t.Errorf("attribution %s", text)
	}
}

// TestGuardWithoutATurn: a command that may lose work is guarded also if no event told that a session or its turn
// began, as when that hook was killed. Any other reason waits for the turn.
func TestGuardWithoutATurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.Write("a.txt", "precious\n")
	w.Tool("nobody", shadow.WhyEvery+"10 minutes")
	if got := w.Points(); len(got) != 0 {
		t.Fatalf("points %+v", got)
	}
	w.Tool("nobody", shadow.WhyBeforeCommand+"git reset --hard")
	w.Turn("s1", "Count on", func() { w.Write("a.txt", "more precious\n") })
	w.Write("a.txt", "most precious\n")
	w.Tool("s1", shadow.WhyBeforeCommand+"git clean") // the hook at its next turn's start was killed
	w.Write("a.txt", "lost\n")
	points := w.Points()
	if len(points) != 3 {
		t.Fatalf("points %+v", points)
	}
	for i, want := range []string{"most precious\n", "more precious\n", "precious\n"} {
		if w.Rewind(points[i].ID); w.Read("a.txt") != want {
			t.Errorf("point %d has %q", i, w.Read("a.txt"))
		}
	}
}
