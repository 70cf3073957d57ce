package restore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/strategy/internal/enginetest"
)

// TestTaskPointsCutWhereTheSubagentStood: the session's transcript and the
// subagent's, byte for byte, and forth again.
func TestTaskPointsCutWhereTheSubagentStood(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	sub := filepath.Join(filepath.Dir(w.Transcript("s1")), "s1", "subagents", "agent-helper1.jsonl")
	if err := os.MkdirAll(filepath.Dir(sub), 0o755); err != nil {
		t.Fatal(err)
	}
	says := func(text string) {
		f, err := os.OpenFile(sub, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	line := func(n string) string {
		return `{"isSidechain":true, "agentId":"helper1","uuid":"h-` + n + `","odd" : [1.50,"é",{"b":1,"a":2}],"type":"assistant","message":{"role":"assistant","content":"` + n + `"}}` + "\n"
	}
	at := map[string][2]string{}
	read := func() [2]string {
		t.Helper()
		var out [2]string
		for i, path := range []string{w.Transcript("s1"), sub} {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out[i] = string(text)
		}
		return out
	}
	w.Prompt("s1", "delegate it")
	w.Say("s1", "assistant", "I call a subagent")
	w.Task(agent.TaskStart, "s1", "toolu_1", nil)
	for _, n := range []string{"one", "two"} {
		says(line(n))
		w.Write(n+".txt", n+"\n")
		at[n] = read()
		says(`{"torn":`) // being written
		w.Todo("s1", "toolu_todo_"+n, n)
		says("1}\n")
		w.Say("s1", "progress", "the subagent is at "+n)
	}
	says(line("three"))
	w.Write("three.txt", "3\n")
	at["end"] = read()
	w.Task(agent.TaskEnd, "s1", "toolu_1", func(ev *agent.Event) { ev.AgentID = "helper1" })
	w.Result("s1", "toolu_1", "helper1")
	says(line("late"))
	w.Stop("s1")
	whole := read()

	k := &talker{World: w, sid: "s1", path: w.Transcript("s1")}
	atEnd := k.mark()
	byName := map[string]string{}
	for _, p := range w.Points() {
		switch {
		case strings.Contains(p.Message, "one"):
			byName["one"] = p.ID
		case strings.Contains(p.Message, "two"):
			byName["two"] = p.ID
		case p.IsTaskCheckpoint:
			byName["end"] = p.ID
		}
	}
	for _, n := range []string{"two", "end", "one", "end"} {
		if out := w.Rewind(byName[n]); len(out.Warnings) > 0 {
			t.Errorf("%s: %q", n, out.Warnings)
		}
		if got := read(); got != at[n] {
			t.Errorf("at %s:\n%s\n%s\nwant\n%s\n%s", n, got[0], got[1], at[n][0], at[n][1])
		}
	}
	k.to(atEnd)
	if got := read(); got != whole {
		t.Errorf("forth again:\n%s\n%s", got[0], got[1])
	}
}
