package strategy

import (
	"strings"
	"testing"

	"entire/internal/attribution"
)

// writes lets an agent write a file with its tool and say so.
func (w *world) writes(sid, call, path, text string) {
	w.t.Helper()
	w.Write(path, text)
	w.saysItWrote(sid, call, path, text)
}

func (w *world) saysItWrote(sid, call, path, text string) {
	w.t.Helper()
	w.sayRaw(sid, map[string]any{"type": "assistant", "uuid": "e-" + call, "message": map[string]any{"role": "assistant", "id": "m-" + call, "model": "a-model", "content": []any{
		map[string]any{"type": "tool_use", "id": call, "name": "Write", "input": map[string]any{"file_path": w.Path(path), "content": text}}}}})
	w.sayRaw(sid, map[string]any{"type": "user", "uuid": "r-" + call, "message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": call, "content": "ok"}}}})
}

// calls writes the session and call of each line, h or ? for others.
func (w *world) calls(cp, path string) string {
	w.t.Helper()
	r := w.record(cp)
	f := r.File(path)
	if f == nil {
		return "none"
	}
	var out []string
	for i := range f.Lines {
		switch o := r.Owners[f.At(i+1).Owner]; o.Class {
		case attribution.ClassAgent:
			out = append(out, o.SessionID+":"+o.ToolUseID)
		case attribution.ClassHuman:
			out = append(out, "h")
		default:
			out = append(out, "?")
		}
	}
	return strings.Join(out, " ")
}

func TestCallsOfLines(t *testing.T) {
	t.Parallel()
	const one, two, three = "the first line of all\n", "the second line of all\n", "a third line, by a shell\n"
	t.Run("calls and turns", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sourceFiles()).hooked()
		w.turn("s1", "one", func() {
			w.writes("s1", "t1", "f.txt", one)
			w.writes("s1", "t2", "f.txt", one+two)
			w.ranShell("s1", func() { w.Write("f.txt", one+two+three) })
		})
		w.turn("s1", "two", func() { w.writes("s1", "t3", "f.txt", one+two+three+"and a fourth by the agent\n") })
		w.Write("f.txt", w.Read("f.txt")+"mine\n")
		w.Git("add", "-A")
		cp := w.gitCommit("-m", "all")
		if got := w.calls(cp, "f.txt"); got != "s1:t1 s1:t2 s1: s1:t3 h" {
			t.Errorf("calls %s", got)
		}
		if o := w.record(cp).Owners[0]; o.Model != "a-model" {
			t.Errorf("owner %+v", o)
		}
		o := &open{id: sessionID(t, "s1")}
		if err := w.engine().readSession(w.ctx, o); err != nil {
			t.Fatal(err)
		}
		if n := len(o.side.Capture.Calls); n != 0 {
			t.Errorf("%d calls are remembered for nothing", n)
		}
	})
	t.Run("two sessions in one file at once", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sourceFiles()).hooked()
		w.prompt("s1", "one")
		w.prompt("s2", "two")
		w.writes("s1", "t1", "f.txt", one)
		w.Write("f.txt", one+two+three)
		w.saysItWrote("s2", "t2", "f.txt", two)
		w.stop("s1")
		w.stop("s2")
		w.Git("add", "-A")
		if got := w.calls(w.gitCommit("-m", "all"), "f.txt"); got != "s1:t1 s2:t2 ?" {
			t.Errorf("calls %s", got)
		}
	})
	t.Run("a commit in mid-turn", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sourceFiles()).hooked()
		w.prompt("s1", "one")
		w.Write("f.txt", one+two)
		w.Git("add", "-A")
		cp := w.gitCommit("-m", "all")
		if got := w.calls(cp, "f.txt"); got != "s1: s1:" {
			t.Errorf("calls before %s", got)
		}
		w.saysItWrote("s1", "late", "f.txt", one+two) // what the agent had not written down yet
		w.stop("s1")
		if got := w.calls(cp, "f.txt"); got != "s1:late s1:late" {
			t.Errorf("calls after %s", got)
		}
	})
}
