package strategy

import (
	"strings"
	"testing"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/testrepo"
)

// tool tells of a call for which somebody has found a reason.
func (w *world) tool(sid, why string) {
	w.event(agent.ToolStart, sid, func(ev *agent.Event) { ev.Why, ev.ToolName = why, "Bash" })
}

// TestCheckpointsInMidTurn: what a turn has changed is saved when there is a reason,
// once, says why, can be gone back to, and the turn's end and its commit are as if it
// had not been.
func TestCheckpointsInMidTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n", "b.txt": "b\n"}))
	w.tool("nobody", checkpoint.WhyBeforeCommand+"rm -r")
	if len(w.shadows()) != 0 {
		t.Fatalf("a session that never began has steps: %v", w.shadows())
	}
	w.prompt("s1", "Count on")
	w.tool("s1", checkpoint.WhyBeforeCommand+"rm -r")
	if len(w.shadows()) != 0 {
		t.Errorf("nothing has changed, and there is a step: %v", w.shadows())
	}
	w.Write("a.txt", "one\ntwo\n")
	w.tool("s1", "")
	if len(w.shadows()) != 0 {
		t.Errorf("without a reason there is a step: %v", w.shadows())
	}
	w.tool("s1", checkpoint.WhyBeforeCommand+"rails db:migrate")
	w.tool("s1", checkpoint.WhyBeforeTool+"Bash") // nothing has changed since
	points := w.points()
	if len(points) != 1 || points[0].Why != checkpoint.WhyBeforeCommand+"rails db:migrate" || !checkpoint.IsAutomatic(points[0].Why) ||
		points[0].Turn != 1 || !strings.HasPrefix(points[0].Message, "Before command rails db:migrate: Count on") {
		t.Fatalf("points %+v", points)
	}
	saved := points[0].ID
	w.Write("a.txt", "lost\n")
	w.Remove("b.txt")
	w.stop("s1")
	points = w.points()
	if len(points) != 2 || points[0].Why != checkpoint.WhyTurnEnd {
		t.Fatalf("after the turn: %+v", points)
	}
	w.tool("s1", checkpoint.WhyEvery+"10 minutes") // between two turns
	if got := len(w.points()); got != 2 {
		t.Errorf("%d points after a call out of a turn", got)
	}
	w.rewind(saved)
	if w.Read("a.txt") != "one\ntwo\n" || w.Read("b.txt") != "b\n" {
		t.Errorf("back there, a.txt is %q and b.txt %q", w.Read("a.txt"), w.Read("b.txt"))
	}
	w.Git("add", "-A")
	cp := w.commit("two")
	if cp == "" || !strings.Contains(w.metadata(cp, "metadata.json"), `"a.txt"`) {
		t.Errorf("checkpoint %q of the commit: %s", cp, w.metadata(cp, "metadata.json"))
	}
}

// TestTurnEndAfterMidTurn: the conversation of a turn that changed nothing after its
// checkpoint is in a step, too, and all its lines are the agent's.
func TestTurnEndAfterMidTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.turn("s1", "Count on", func() {
		w.Write("a.txt", "one\ntwo\nthree\n")
		w.tool("s1", checkpoint.WhyAfterTool+"Edit")
	})
	if points := w.points(); len(points) != 2 || points[0].Why != checkpoint.WhyTurnEnd {
		t.Fatalf("points %+v", points)
	}
	w.Git("add", "-A")
	cp := w.commit("counted")
	if text := w.metadata(cp, "attribution.json"); !strings.Contains(text, `"start":2,"count":2,"owner":0`) || !strings.Contains(text, `{"class":"agent","session_id":"s1"`) {
		t.Errorf("attribution %s", text)
	}
}
