package engine_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/internal/testrepo"
	"entire/strategy/engine"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/share"
)

// TestHooksTouchNothingOfTheUsers runs every hook and compares every byte of the
// worktree and of the git directory that is not ours.
func TestHooksTouchNothingOfTheUsers(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", "b.txt": "b\n", ".gitignore": "*.o\n"}))
	w.Write("staged.txt", "staged\n")
	w.Git("add", "staged.txt")
	w.Write("staged.txt", "and edited\n")
	w.Write("obj.o", "ignored\n")
	w.Symlink("nowhere", "dangling")
	msg := w.GitPath("COMMIT_EDITMSG")
	check := func(name string, do func()) {
		t.Helper()
		tree, files := w.Snapshot(), w.GitDirFiles()
		do()
		after := w.Snapshot()
		for p, f := range tree {
			if after[p] != f {
				t.Errorf("%s: %s changed", name, p)
			}
		}
		if len(after) != len(tree) {
			t.Errorf("%s: the worktree has %d entries, had %d", name, len(after), len(tree))
		}
		now := w.GitDirFiles()
		for p, data := range files {
			if got, ok := now[p]; !ok || got != data {
				t.Errorf("%s: .git/%s changed", name, p)
			}
		}
		for p := range now {
			if _, ok := files[p]; !ok {
				t.Errorf("%s: .git/%s is new", name, p)
			}
		}
	}
	event := func(kind agent.EventType, fill func(*agent.Event)) {
		check(string(kind), func() { w.Event(kind, "s1", fill) })
	}
	event(agent.SessionStart, nil)
	event(agent.TurnStart, func(ev *agent.Event) { ev.Prompt = "go" })
	event(agent.TaskStart, func(ev *agent.Event) { ev.ToolUseID = "t1" })
	w.Write("a.txt", "agent\n")
	event(agent.Todo, func(ev *agent.Event) { ev.ToolUseID = "t2" })
	w.Write("new.txt", "agent\n")
	event(agent.TaskEnd, func(ev *agent.Event) { ev.ToolUseID = "t1" })
	w.Remove("b.txt")
	event(agent.TurnEnd, nil)
	w.Git("add", "new.txt")
	if err := os.WriteFile(msg, []byte("work\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("prepare-commit-msg", func() {
		if err := engine.PrepareCommitMsg(w.Ctx, w.Engine(), msg, "message"); err != nil {
			t.Error(err)
		}
	})
	check("commit-msg", func() {
		if err := engine.CommitMsg(w.Ctx, w.Engine(), msg); err != nil {
			t.Error(err)
		}
	})
	w.Git("commit", "-q", "--no-verify", "-F", msg)
	check("post-commit", func() {
		if err := engine.PostCommit(w.Ctx, w.Engine()); err != nil {
			t.Error(err)
		}
	})
	if w.Trailer("HEAD") == "" {
		t.Error("not linked")
	}
	check("pre-push", func() {
		if err := share.PrePush(w.Ctx, w.Engine(), "origin", "url", strings.NewReader("")); err != nil {
			t.Error(err)
		}
	})
	check("list and status", func() {
		w.Points()
		if _, err := maintain.Status(w.Ctx, w.Engine()); err != nil {
			t.Error(err)
		}
	})
	event(agent.SessionEnd, nil)
	w.Fsck()
}

// TestSecretsAreNowhere plants a token in everything an agent hands over and
// looks for it in every object and in every file of ours.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	token := "ghp_" + "x7Kq9Wz2Rt5Yb8Nm3Lp6Vd1Hs4Jf0Gc2Ta9Q"
	uuid := "0b4e9a5e-6c1f-4a7e-9d3b-2f8c7e6d5a41"
	path := w.Path("src/very/long/path/to/a_file_name-1234.go")
	sub := filepath.Join(filepath.Dir(w.Transcript("s1")), "s1", "subagents", "agent-helper1.jsonl")
	if err := os.MkdirAll(filepath.Dir(sub), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sub, []byte(`{"type":"assistant","message":{"role":"assistant","content":"sub `+token+`"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	escaped := strings.ReplaceAll(token, "7", `\u0037`)
	w.Event(agent.TurnStart, "s1", func(ev *agent.Event) { ev.Prompt = "use the token " + token + " please" })
	w.Say("s1", "user", "use the token "+token+" please")
	w.Line("s1", `{"type":"assistant","uuid":"`+uuid+`","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"escaped `+escaped+`"},{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"`+path+`","content":"password = `+token+`"}}]}}`)
	w.Task(agent.TaskStart, "s1", "toolu_1", nil)
	w.Write("a.txt", "agent\n")
	w.Event(agent.Todo, "s1", func(ev *agent.Event) {
		ev.ToolUseID, ev.ToolName, ev.ToolInput = "toolu_2", "TodoWrite", json.RawMessage(`{"todos":[{"content":"set `+escaped+`"}],"`+token+`":1}`)
		ev.Todos = []agent.TodoItem{{Content: "set " + token, Status: "completed"}}
	})
	w.Write("b.txt", "agent\n")
	w.Task(agent.TaskEnd, "s1", "toolu_1", func(ev *agent.Event) {
		ev.AgentID, ev.SubagentType, ev.Description = "helper1", "type "+token, "describe "+token
	})
	w.Write("c.txt", "agent\n")
	w.Stop("s1")
	w.Everywhere(token, false)
	cp := w.GitCommit("-a", "-m", "work")
	if cp == "" {
		t.Fatal("not linked")
	}
	w.Event(agent.SessionEnd, "s1", nil)
	w.Everywhere(token, false)
	w.Everywhere(escaped, false)
	got := w.Metadata(cp, "0/full.jsonl")
	for _, keep := range []string{uuid, path, "use the token"} {
		if !strings.Contains(got, keep) {
			t.Errorf("%q was taken away: %s", keep, got)
		}
	}
}
