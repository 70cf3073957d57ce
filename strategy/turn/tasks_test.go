package turn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/strategy/internal/enginetest"
)

func TestTaskSteps(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	sub := filepath.Join(filepath.Dir(w.Transcript("s1")), "s1", "subagents", "agent-helper1.jsonl")
	if err := os.MkdirAll(filepath.Dir(sub), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sub, []byte(`{"type":"assistant","message":{"id":"m1","role":"assistant","content":"subagent speaking","usage":{"input_tokens":5,"output_tokens":7}}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Prompt("s1", "delegate it")
	w.Task(agent.TaskStart, "s1", "toolu_9first", nil)
	for i := range 3 {
		w.Write(fmt.Sprintf("f%d", i), fmt.Sprintf("made %d\n", i))
		w.Todo("s1", fmt.Sprintf("toolu_todo%d", i), fmt.Sprintf("thing %d", i))
	}
	w.Todo("s1", "toolu_again", "nothing changed since")
	w.Write("last", "x\n")
	w.Task(agent.TaskEnd, "s1", "toolu_9first", func(ev *agent.Event) {
		ev.AgentID, ev.SubagentType, ev.Description = "helper1", "general", "do the thing"
	})
	w.Todo("s1", "toolu_outside", "not in a subagent")
	w.Stop("s1")

	ref := w.Shadows()[0]
	got := w.Overlay(ref)
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
	for _, p := range w.Points() {
		if p.IsTaskCheckpoint {
			tasks++
		} else {
			agents++
		}
	}
	if tasks != 4 || agents != 1 {
		t.Errorf("%d task points, %d of the agent: %v", tasks, agents, w.StepsOn(ref))
	}
	w.Git("add", "-A")
	cp := w.GitCommit("-m", "work")
	files := w.MetadataOf()
	for _, want := range []string{"001-toolu_9first.json", "003-toolu_9first.json", "checkpoint.json", "agent-helper1.jsonl"} {
		if !strings.Contains(files, cp[:2]+"/"+cp[2:]+"/0/tasks/toolu_9first/") || !strings.Contains(files, want) {
			t.Errorf("no %s on the metadata branch:\n%s", want, files)
		}
	}
	if got := strings.Join(w.Slots(cp)["s1"], " "); got != "f0 f1 f2 last" {
		t.Errorf("files: %q", got)
	}
	w.Fsck()
}

// TestTodoGoesToTheTaskThatBeganLast, whatever its ID looks like.
func TestTodoGoesToTheTaskThatBeganLast(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Prompt("s1", "delegate")
	w.Task(agent.TaskStart, "s1", "toolu_zzz", nil)
	w.Task(agent.TaskStart, "s1", "toolu_aaa", nil)
	w.Write("a.txt", "x\n")
	w.Todo("s1", "toolu_todo", "done")
	if got := w.Overlay(w.Shadows()[0]); !strings.Contains(got, "tasks/toolu_aaa/checkpoints/001-") {
		t.Errorf("overlay:\n%s", got)
	}
}

func TestTaskOfASessionNobodyAnnounced(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Task(agent.TaskStart, "s1", "toolu_1", nil)
	w.Write("a.txt", "x\n")
	w.Task(agent.TaskEnd, "s1", "toolu_1", nil)
	w.Task(agent.TaskEnd, "s1", "toolu_unknown", nil)
	if cp := w.GitCommit("-a", "-m", "work"); cp == "" {
		t.Error("not linked")
	}
}
