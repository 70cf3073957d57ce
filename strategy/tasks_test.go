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

func (w *world) task(kind agent.EventType, sid, use string, fill func(*agent.Event)) {
	w.t.Helper()
	w.event(kind, sid, func(ev *agent.Event) {
		ev.ToolUseID, ev.ToolName = use, "Task"
		if fill != nil {
			fill(ev)
		}
	})
}

func (w *world) todo(sid, use, done string) {
	w.t.Helper()
	w.event(agent.Todo, sid, func(ev *agent.Event) {
		ev.ToolUseID, ev.ToolName = use, "TodoWrite"
		ev.ToolInput = json.RawMessage(`{"todos":[]}`)
		ev.Todos = []agent.TodoItem{{Content: done, Status: "completed"}}
	})
}

func (w *world) overlay(ref string) string {
	w.t.Helper()
	return w.Git("ls-tree", "-r", "--name-only", ref, ".entire/")
}

func TestTaskSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	sub := filepath.Join(filepath.Dir(w.transcript("s1")), "s1", "subagents", "agent-helper1.jsonl")
	if err := os.MkdirAll(filepath.Dir(sub), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sub, []byte(`{"type":"assistant","message":{"id":"m1","role":"assistant","content":"subagent speaking","usage":{"input_tokens":5,"output_tokens":7}}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.prompt("s1", "delegate it")
	w.task(agent.TaskStart, "s1", "toolu_9first", nil)
	for i := range 3 {
		w.Write(fmt.Sprintf("f%d", i), fmt.Sprintf("made %d\n", i))
		w.todo("s1", fmt.Sprintf("toolu_todo%d", i), fmt.Sprintf("thing %d", i))
	}
	w.todo("s1", "toolu_again", "nothing changed since")
	w.Write("last", "x\n")
	w.task(agent.TaskEnd, "s1", "toolu_9first", func(ev *agent.Event) {
		ev.AgentID, ev.SubagentType, ev.Description = "helper1", "general", "do the thing"
	})
	w.todo("s1", "toolu_outside", "not in a subagent")
	w.stop("s1")

	ref := w.shadows()[0]
	got := w.overlay(ref)
	for i := range 3 {
		if want := fmt.Sprintf(".entire/metadata/s1/tasks/toolu_9first/checkpoints/%03d-toolu_9first.json", i+1); !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	for _, want := range []string{"toolu_9first/checkpoint.json", "toolu_9first/agent-helper1.jsonl"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	var tasks, agents int
	for _, p := range w.points() {
		if p.IsTaskCheckpoint {
			tasks++
		} else {
			agents++
		}
	}
	if tasks != 4 || agents != 1 {
		t.Errorf("%d task points, %d of the agent: %v", tasks, agents, w.stepsOn(ref))
	}
	w.Git("add", "-A")
	cp := w.gitCommit("-m", "work")
	files := w.metadataOf()
	for _, want := range []string{"001-toolu_9first.json", "003-toolu_9first.json", "checkpoint.json", "agent-helper1.jsonl"} {
		if !strings.Contains(files, cp[:2]+"/"+cp[2:]+"/0/tasks/toolu_9first/") || !strings.Contains(files, want) {
			t.Errorf("no %s on the metadata branch:\n%s", want, files)
		}
	}
	if got := strings.Join(w.slots(cp)["s1"], " "); got != "f0 f1 f2 last" {
		t.Errorf("files: %q", got)
	}
	w.Fsck()
}

// TestTodoGoesToTheTaskThatBeganLast, whatever its ID looks like.
func TestTodoGoesToTheTaskThatBeganLast(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.prompt("s1", "delegate")
	w.task(agent.TaskStart, "s1", "toolu_zzz", nil)
	w.task(agent.TaskStart, "s1", "toolu_aaa", nil)
	w.Write("a.txt", "x\n")
	w.todo("s1", "toolu_todo", "done")
	if got := w.overlay(w.shadows()[0]); !strings.Contains(got, "tasks/toolu_aaa/checkpoints/001-") {
		t.Errorf("overlay:\n%s", got)
	}
}

func TestTaskOfASessionNobodyAnnounced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.task(agent.TaskStart, "s1", "toolu_1", nil)
	w.Write("a.txt", "x\n")
	w.task(agent.TaskEnd, "s1", "toolu_1", nil)
	w.task(agent.TaskEnd, "s1", "toolu_unknown", nil)
	if cp := w.gitCommit("-a", "-m", "work"); cp == "" {
		t.Error("not linked")
	}
}
