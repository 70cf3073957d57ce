package transcript_test

import (
	"encoding/json"
	"strings"
	"testing"

	"entire/agent"
	"entire/strategy/internal/enginetest"
)

func tokens(u *agent.TokenUsage) (own, subs int) {
	if u == nil {
		return 0, 0
	}
	if u.SubagentTokens != nil {
		subs = u.SubagentTokens.OutputTokens
	}
	return u.OutputTokens, subs
}

// TestTokensAreCountedOnce follows them over several checkpoints: of a turn, in
// its middle, of a subagent that goes on after one.
func TestTokensAreCountedOnce(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	var own, subs int
	count := func(cp string) {
		t.Helper()
		var meta struct {
			Usage *agent.TokenUsage `json:"token_usage"`
		}
		if err := json.Unmarshal([]byte(w.Metadata(cp, "0/metadata.json")), &meta); err != nil {
			t.Fatal(err)
		}
		o, s := tokens(meta.Usage)
		own, subs = own+o, subs+s
	}
	w.Prompt("s1", "delegate")
	w.Spends("s1", "m1")
	w.Subagent("s1", "h1", 1)
	w.Result("s1", "toolu_1", "h1")
	w.Write("one", "1\n")
	w.Git("add", "one")
	count(w.GitCommit("-m", "in mid-turn"))
	w.Spends("s1", "m2")
	w.Subagent("s1", "h1", 3) // it was asked again
	w.Subagent("s1", "h2", 2)
	w.Result("s1", "toolu_2", "h2")
	w.Write("two", "2\n")
	w.Stop("s1")
	w.Git("add", "two")
	count(w.GitCommit("-m", "the rest"))
	w.Turn("s1", "talk", func() { w.Spends("s1", "m3") })
	w.Turn("s1", "more", func() { w.Spends("s1", "m4"); w.Write("three", "3\n") })
	w.Spends("s1", "m5") // no event follows this answer
	w.Git("add", "three")
	count(w.GitCommit("-m", "more"))
	if own != 500 || subs != 35 {
		t.Errorf("checkpoints count %d tokens out, and %d of subagents", own, subs)
	}
	if o, s := tokens(w.State("s1").TokenUsage); o != 500 || s != 35 {
		t.Errorf("the session counts %d and %d", o, s)
	}
}

// TestQuietSubagentsAreKept: one that only reads has a transcript too, and one
// whose last change a todo's step holds already has an end.
func TestQuietSubagentsAreKept(t *testing.T) {
	t.Parallel()
	for _, auto := range []bool{false, true} {
		w := enginetest.NewWorld(t, enginetest.SourceFiles())
		w.Auto = auto
		w.Hooked()
		w.Git("checkout", "-q", "-b", "feature")
		w.Prompt("s1", "look around")
		w.Subagent("s1", "reader", 1)
		w.Task(agent.TaskStart, "s1", "toolu_read", nil)
		w.Task(agent.TaskEnd, "s1", "toolu_read", func(ev *agent.Event) { ev.AgentID = "reader" })
		w.Task(agent.TaskStart, "s1", "toolu_write", nil)
		if !auto {
			w.Write("f", "x\n")
			w.Todo("s1", "toolu_todo", "thing")
		}
		w.Task(agent.TaskEnd, "s1", "toolu_write", nil)
		if got := w.Points(); auto && len(got) != 0 || !auto && len(got) != 1 {
			t.Errorf("points: %+v", got)
		}
		w.Write("last", "x\n")
		w.Stop("s1")
		at := "tasks"
		if !auto {
			at = "0/tasks"
			w.Git("add", "-A")
			w.GitCommit("-m", "work")
		}
		cp := w.Trailer("HEAD")
		for _, file := range []string{"toolu_read/checkpoint.json", "toolu_read/agent-reader.jsonl", "toolu_write/checkpoint.json"} {
			w.Metadata(cp, at+"/"+file)
		}
		if !auto {
			if got := w.Metadata(cp, at+"/toolu_write/checkpoints/001-toolu_write.json"); !strings.Contains(got, `"todo_tool_use_id": "toolu_todo"`) {
				t.Errorf("step of a todo: %s", got)
			}
		}
		if got := w.Git("for-each-ref", "refs/entire/tasks", "refs/entire/backlog"); got != "" {
			t.Errorf("left: %s", got)
		}
		w.Fsck()
	}
}
