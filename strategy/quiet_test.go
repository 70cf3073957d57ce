package strategy

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/internal/testrepo"
)

// ours tells the files below the git directory that we may write.
func ours(path string) bool {
	for _, dir := range []string{"objects/", "refs/heads/entire/", "refs/entire/", "entire-sessions/", "entire/", "logs/refs/heads/entire/"} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return path == "COMMIT_EDITMSG"
}

// gitDirFiles is everything below the git directory that is not ours.
func (w *world) gitDirFiles() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	root := w.GitPath(".")
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err == nil && !ours(rel) {
			var data []byte
			data, err = os.ReadFile(path)
			out[rel] = string(data)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// TestHooksTouchNothingOfTheUsers runs every hook and compares every byte of the
// worktree and of the git directory that is not ours.
func TestHooksTouchNothingOfTheUsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", "b.txt": "b\n", ".gitignore": "*.o\n"}))
	w.Write("staged.txt", "staged\n")
	w.Git("add", "staged.txt")
	w.Write("staged.txt", "and edited\n")
	w.Write("obj.o", "ignored\n")
	w.Symlink("nowhere", "dangling")
	msg := w.GitPath("COMMIT_EDITMSG")
	check := func(name string, do func()) {
		t.Helper()
		tree, files := w.Snapshot(), w.gitDirFiles()
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
		now := w.gitDirFiles()
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
		check(string(kind), func() { w.event(kind, "s1", fill) })
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
		if err := w.engine().PrepareCommitMsg(w.ctx, msg, "message"); err != nil {
			t.Error(err)
		}
	})
	check("commit-msg", func() {
		if err := w.engine().CommitMsg(w.ctx, msg); err != nil {
			t.Error(err)
		}
	})
	w.Git("commit", "-q", "--no-verify", "-F", msg)
	check("post-commit", func() {
		if err := w.engine().PostCommit(w.ctx); err != nil {
			t.Error(err)
		}
	})
	if w.trailer("HEAD") == "" {
		t.Error("not linked")
	}
	check("pre-push", func() {
		if err := w.engine().PrePush(w.ctx, "origin", "url", strings.NewReader("")); err != nil {
			t.Error(err)
		}
	})
	check("list and status", func() {
		w.points()
		if _, err := w.engine().Status(w.ctx); err != nil {
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
	w := newWorld(t, sourceFiles()).hooked()
	token := "ghp_" + "x7Kq9Wz2Rt5Yb8Nm3Lp6Vd1Hs4Jf0Gc2Ta9Q"
	uuid := "0b4e9a5e-6c1f-4a7e-9d3b-2f8c7e6d5a41"
	path := w.Path("src/very/long/path/to/a_file_name-1234.go")
	sub := filepath.Join(filepath.Dir(w.transcript("s1")), "s1", "subagents", "agent-helper1.jsonl")
	if err := os.MkdirAll(filepath.Dir(sub), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sub, []byte(`{"type":"assistant","message":{"role":"assistant","content":"sub `+token+`"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	escaped := strings.ReplaceAll(token, "7", `\u0037`)
	w.event(agent.TurnStart, "s1", func(ev *agent.Event) { ev.Prompt = "use the token " + token + " please" })
	w.say("s1", "user", "use the token "+token+" please")
	w.line("s1", `{"type":"assistant","uuid":"`+uuid+`","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"escaped `+escaped+`"},{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"`+path+`","content":"password = `+token+`"}}]}}`)
	w.task(agent.TaskStart, "s1", "toolu_1", nil)
	w.Write("a.txt", "agent\n")
	w.event(agent.Todo, "s1", func(ev *agent.Event) {
		ev.ToolUseID, ev.ToolName, ev.ToolInput = "toolu_2", "TodoWrite", json.RawMessage(`{"todos":[{"content":"set `+escaped+`"}],"`+token+`":1}`)
		ev.Todos = []agent.TodoItem{{Content: "set " + token, Status: "completed"}}
	})
	w.Write("b.txt", "agent\n")
	w.task(agent.TaskEnd, "s1", "toolu_1", func(ev *agent.Event) {
		ev.AgentID, ev.SubagentType, ev.Description = "helper1", "type "+token, "describe "+token
	})
	w.Write("c.txt", "agent\n")
	w.stop("s1")
	w.everywhere(token, false)
	cp := w.gitCommit("-a", "-m", "work")
	if cp == "" {
		t.Fatal("not linked")
	}
	w.event(agent.SessionEnd, "s1", nil)
	w.everywhere(token, false)
	w.everywhere(escaped, false)
	got := w.metadata(cp, "0/full.jsonl")
	for _, keep := range []string{uuid, path, "use the token"} {
		if !strings.Contains(got, keep) {
			t.Errorf("%q was taken away: %s", keep, got)
		}
	}
}

// everywhere looks for text in every object and every file of ours.
func (w *world) everywhere(text string, want bool) {
	w.t.Helper()
	cmd := w.Command("git", "cat-file", "--batch-all-objects", "--batch", "--unordered")
	objects, err := cmd.Output()
	if err != nil {
		w.t.Fatal(err)
	}
	if got := bytes.Contains(objects, []byte(text)); got != want {
		at := bytes.Index(objects, []byte(text))
		w.t.Errorf("in the objects: %v; near %q", got, objects[max(0, at-300):min(len(objects), at+50)])
	}
	root := w.GitPath(".")
	err = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || strings.HasPrefix(rel, "objects/") {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) && !want {
			w.t.Errorf("in .git/%s", rel)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}
