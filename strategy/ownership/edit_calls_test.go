package ownership_test

import (
	"testing"

	"entire/agent"
	"entire/strategy/internal/enginetest"
	"entire/strategy/sessionstate"
)

func TestCallsOfLines(t *testing.T) {
	t.Parallel()
	const one, two, three = "the first line of all\n", "the second line of all\n", "a third line, by a shell\n"
	t.Run("calls and turns", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Turn("s1", "one", func() {
			w.Writes("s1", "t1", "f.txt", one)
			w.Writes("s1", "t2", "f.txt", one+two)
			w.RanShell("s1", func() { w.Write("f.txt", one+two+three) })
		})
		w.Turn("s1", "two", func() { w.Writes("s1", "t3", "f.txt", one+two+three+"and a fourth by the agent\n") })
		w.Write("f.txt", w.Read("f.txt")+"mine\n")
		w.Git("add", "-A")
		cp := w.GitCommit("-m", "all")
		if got := w.Calls(cp, "f.txt"); got != "s1:t1 s1:t2 s1: s1:t3 h" {
			t.Errorf("calls %s", got)
		}
		if o := w.Record(cp).Owners[0]; o.Model != "a-model" {
			t.Errorf("owner %+v", o)
		}
		o := &sessionstate.LockedSession{ID: enginetest.SessionID(t, "s1")}
		if err := w.Engine().ReadSession(w.Ctx, o); err != nil {
			t.Fatal(err)
		}
		if n := len(o.Engine.Capture.Calls); n != 0 {
			t.Errorf("%d calls are remembered for nothing", n)
		}
	})
	t.Run("two sessions in one file at once", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Prompt("s1", "one")
		w.Prompt("s2", "two")
		w.Writes("s1", "t1", "f.txt", one)
		w.Write("f.txt", one+two+three)
		w.SaysItWrote("s2", "t2", "f.txt", two)
		w.Stop("s1")
		w.Stop("s2")
		w.Git("add", "-A")
		if got := w.Calls(w.GitCommit("-m", "all"), "f.txt"); got != "s1:t1 s2:t2 ?" {
			t.Errorf("calls %s", got)
		}
	})
	t.Run("calls that the agent writes down after the end of their turn", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Prompt("s1", "one")
		w.Write("f.txt", one)
		w.Stop("s1")
		w.SaysItWrote("s1", "t1", "f.txt", one)
		w.Write("f.txt", one+two)
		w.Turn("s1", "two", func() { w.Writes("s1", "t2", "f.txt", one+two+three) })
		w.Git("add", "-A")
		if got := w.Owners(w.GitCommit("-m", "all"), "f.txt"); got != "s1/1 h s1/2" {
			t.Errorf("owners %s", got)
		}
	})
	t.Run("a turn that the agent writes down after its end, with its prompt", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Event(agent.TurnStart, "s1", func(ev *agent.Event) { ev.Prompt = "one" })
		w.Write("f.txt", one)
		w.Event(agent.TurnEnd, "s1", nil)
		w.Say("s1", "user", "one")
		w.SaysItWrote("s1", "t1", "f.txt", one)
		w.Say("s1", "assistant", "done")
		w.Write("f.txt", one+two)
		w.Turn("s1", "two", func() { w.Writes("s1", "t2", "f.txt", one+two+three) })
		w.Git("add", "-A")
		if got := w.Owners(w.GitCommit("-m", "all"), "f.txt"); got != "s1/1 h s1/2" {
			t.Errorf("owners %s", got)
		}
	})
	t.Run("a commit in mid-turn", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Prompt("s1", "one")
		w.Write("f.txt", one+two)
		w.Git("add", "-A")
		cp := w.GitCommit("-m", "all")
		if got := w.Calls(cp, "f.txt"); got != "s1: s1:" {
			t.Errorf("calls before %s", got)
		}
		w.SaysItWrote("s1", "late", "f.txt", one+two) // what the agent had not written down yet
		w.Stop("s1")
		if got := w.Calls(cp, "f.txt"); got != "s1:late s1:late" {
			t.Errorf("calls after %s", got)
		}
	})
}
