package strategy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
)

// subagent writes a subagent's transcript of some messages, each of 5 tokens in
// and 7 out.
func (w *world) subagent(sid, aid string, messages int) {
	w.t.Helper()
	path := filepath.Join(filepath.Dir(w.transcript(sid)), sid, "subagents", "agent-"+aid+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for i := range messages {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"%s-%d","role":"assistant","content":"x","usage":{"input_tokens":5,"output_tokens":7}}}`+"\n", aid, i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// result is the line in which the agent learns what a subagent has to say.
func (w *world) result(sid, use, aid string) {
	w.t.Helper()
	w.line(sid, fmt.Sprintf(`{"type":"user","uuid":"r-%s","toolUseResult":{"agentId":"%s"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"agentId: %s"}]}}`, use, aid, use, aid))
}

// spends is an answer of the agent's own, of 100 tokens out.
func (w *world) spends(sid, message string) {
	w.t.Helper()
	w.line(sid, fmt.Sprintf(`{"type":"assistant","uuid":"a-%s","message":{"id":"%s","role":"assistant","content":"x","usage":{"input_tokens":1,"output_tokens":100}}}`, message, message))
}

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
	w := newWorld(t, sourceFiles()).hooked()
	var own, subs int
	count := func(cp string) {
		t.Helper()
		var meta struct {
			Usage *agent.TokenUsage `json:"token_usage"`
		}
		if err := json.Unmarshal([]byte(w.metadata(cp, "0/metadata.json")), &meta); err != nil {
			t.Fatal(err)
		}
		o, s := tokens(meta.Usage)
		own, subs = own+o, subs+s
	}
	w.prompt("s1", "delegate")
	w.spends("s1", "m1")
	w.subagent("s1", "h1", 1)
	w.result("s1", "toolu_1", "h1")
	w.Write("one", "1\n")
	w.Git("add", "one")
	count(w.gitCommit("-m", "in mid-turn"))
	w.spends("s1", "m2")
	w.subagent("s1", "h1", 3) // it was asked again
	w.subagent("s1", "h2", 2)
	w.result("s1", "toolu_2", "h2")
	w.Write("two", "2\n")
	w.stop("s1")
	w.Git("add", "two")
	count(w.gitCommit("-m", "the rest"))
	w.turn("s1", "talk", func() { w.spends("s1", "m3") })
	w.turn("s1", "more", func() { w.spends("s1", "m4"); w.Write("three", "3\n") })
	w.Git("add", "three")
	count(w.gitCommit("-m", "more"))
	if own != 400 || subs != 35 {
		t.Errorf("checkpoints count %d tokens out, and %d of subagents", own, subs)
	}
	if o, s := tokens(w.state("s1").TokenUsage); o != 400 || s != 35 {
		t.Errorf("the session counts %d and %d", o, s)
	}
}

// TestQuietSubagentsAreKept: one that only reads has a transcript too, and one
// whose last change a todo's step holds already has an end.
func TestQuietSubagentsAreKept(t *testing.T) {
	t.Parallel()
	for _, auto := range []bool{false, true} {
		w := newWorld(t, sourceFiles())
		w.auto = auto
		w.hooked()
		w.Git("checkout", "-q", "-b", "feature")
		w.prompt("s1", "look around")
		w.subagent("s1", "reader", 1)
		w.task(agent.TaskStart, "s1", "toolu_read", nil)
		w.task(agent.TaskEnd, "s1", "toolu_read", func(ev *agent.Event) { ev.AgentID = "reader" })
		w.task(agent.TaskStart, "s1", "toolu_write", nil)
		if !auto {
			w.Write("f", "x\n")
			w.todo("s1", "toolu_todo", "thing")
		}
		w.task(agent.TaskEnd, "s1", "toolu_write", nil)
		if got := w.points(); auto && len(got) != 0 || !auto && len(got) != 1 {
			t.Errorf("points: %+v", got)
		}
		w.Write("last", "x\n")
		w.stop("s1")
		at := "tasks"
		if !auto {
			at = "0/tasks"
			w.Git("add", "-A")
			w.gitCommit("-m", "work")
		}
		cp := w.trailer("HEAD")
		for _, file := range []string{"toolu_read/checkpoint.json", "toolu_read/agent-reader.jsonl", "toolu_write/checkpoint.json"} {
			w.metadata(cp, at+"/"+file)
		}
		if !auto {
			if got := w.metadata(cp, at+"/toolu_write/checkpoints/001-toolu_write.json"); !strings.Contains(got, `"todo_tool_use_id": "toolu_todo"`) {
				t.Errorf("step of a todo: %s", got)
			}
		}
		if got := w.Git("for-each-ref", "refs/entire/tasks", "refs/entire/backlog"); got != "" {
			t.Errorf("left: %s", got)
		}
		w.Fsck()
	}
}
