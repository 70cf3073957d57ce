package strategy

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/git"
)

// shell is a call of the agent's shell, with a command that runs without git's hooks.
func (w *world) shell(sid, command string) {
	w.t.Helper()
	call := fmt.Sprintf("t-%d", w.now.UnixNano())
	w.now = w.now.Add(1)
	put := func(kind string, block map[string]any) {
		line, err := json.Marshal(map[string]any{"type": kind, "uuid": kind + call, "message": map[string]any{"id": "m-" + call, "role": kind, "content": []any{block}}})
		if err != nil {
			w.t.Fatal(err)
		}
		w.line(sid, string(line))
	}
	put("assistant", map[string]any{"type": "tool_use", "id": call, "name": "Bash", "input": map[string]any{"command": command}})
	cmd := w.Command("sh", "-c", command)
	cmd.Env = append(cmd.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	put("user", map[string]any{"type": "tool_result", "tool_use_id": call, "content": string(out)})
}

func oidOf(t *testing.T, hex string) git.OID {
	t.Helper()
	oid, err := git.ParseOID(hex)
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

// linked are the checkpoints of a commit that its message does not name.
func (w *world) linked(rev string) []string {
	w.t.Helper()
	e := w.engine()
	links, err := checkpoint.NewRecords(e.repo).Links(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, cp := range links[oidOf(w.t, w.Git("rev-parse", rev))] {
		out = append(out, cp.String())
	}
	return out
}

// TestAgentCommitsWithoutHooks: what an agent commits with git's hooks switched off is
// recorded when its turn ends, and the commit stays as it is.
func TestAgentCommitsWithoutHooks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(w *world)
		want map[string]string // files of the checkpoint, by the commit that is linked to it
		open string            // what is still pending at the turn's end
	}{
		{"its file", func(w *world) {
			w.writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.shell("s1", "git add -A && git commit -q -m 'Add a'")
		}, map[string]string{"HEAD": "a.txt"}, ""},
		{"a file of the shell's", func(w *world) {
			w.shell("s1", "echo agent >a.txt && git add -A && git commit -m 'Add a'")
		}, map[string]string{"HEAD": "a.txt"}, ""},
		{"and works on", func(w *world) {
			w.writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.shell("s1", "git add -A && git commit -q -m 'Add a'")
			w.writes("s1", "e-b.txt", "b.txt", "later\n")
		}, map[string]string{"HEAD": "a.txt"}, "b.txt"},
		{"twice", func(w *world) {
			w.writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.shell("s1", "git add -A && git commit -q -m 'Add a'")
			w.writes("s1", "e-b.txt", "b.txt", "later\n")
			w.shell("s1", "git add -A && git commit -q -m 'Add b'")
		}, map[string]string{"HEAD~1": "a.txt", "HEAD": "b.txt"}, ""},
		{"amended", func(w *world) {
			w.writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.shell("s1", "git add -A && git commit -q -m 'Add a'")
			w.shell("s1", "git commit -q --amend -m 'Add the a'")
		}, map[string]string{"HEAD": "a.txt"}, ""},
		{"after a step of a turn before", func(w *world) {
			w.writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.stop("s1")
			w.prompt("s1", "commit it")
			w.shell("s1", "git add -A && git commit -q -m 'Add a'")
		}, map[string]string{"HEAD": "a.txt"}, ""},
		{"half by a person", func(w *world) {
			w.writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.Write("p.txt", "person\n")
			w.shell("s1", "git add a.txt && git commit -q -m 'Add a'")
			w.Git("add", "p.txt")
			w.Git("-c", "core.hooksPath=", "commit", "-q", "-m", "Mine")
		}, map[string]string{"HEAD~1": "a.txt", "HEAD": ""}, ""},
		{"a person, with the agent's work", func(w *world) {
			w.writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.Git("add", "a.txt")
			w.Git("-c", "core.hooksPath=", "commit", "-q", "-m", "Mine")
			w.shell("s1", "git log --grep=commit --oneline -1")
		}, map[string]string{"HEAD": ""}, ""},
		{"a person's file", func(w *world) {
			w.stop("s1")
			w.Write("p.txt", "person\n")
			w.prompt("s1", "commit it")
			w.shell("s1", "git add p.txt && git commit -q -m 'Add p'")
		}, map[string]string{"HEAD": ""}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).hooked()
			w.turn("s0", "hello", func() {})
			w.prompt("s1", "write")
			tc.do(w)
			made := w.Git("log", "--format=%H %s")
			w.stop("s1")
			if got := w.Git("log", "--format=%H %s"); got != made {
				t.Errorf("the history was rewritten:\n%s\nwas\n%s", got, made)
			}
			for rev, files := range tc.want {
				cps := w.linked(rev)
				if files == "" && len(cps) == 0 {
					continue
				}
				if len(cps) != 1 || w.trailer(rev) != "" {
					t.Fatalf("%s is linked to %v\n%s", rev, cps, w.problems())
				}
				if got := strings.Join(w.slots(cps[0])["s1"], " "); got != files {
					t.Errorf("%s: files of the checkpoint: %q, want %q", rev, got, files)
				}
				if strings.Contains(w.problems(), w.Git("rev-parse", rev)[:7]) {
					t.Errorf("%s is linked, and a problem: %s", rev, w.problems())
				}
			}
			if tc.name == "its file" {
				if got := w.calls(w.linked("HEAD")[0], "a.txt"); got != "s1:e-a.txt" {
					t.Errorf("owners of the lines: %s", got)
				}
			}
			if got := w.touched("s1"); got != tc.open {
				t.Errorf("pending: %q, want %q", got, tc.open)
			}
			if ids := w.stateOf("s1").TurnCheckpointIDs; len(ids) > 0 {
				t.Errorf("checkpoints without the end of the turn: %v", ids)
			}
			w.Fsck()
		})
	}
}

// TestMissedCommitsKeepTheirCheckpoint: git's own ways to make such a commit anew, with
// our hooks, name the checkpoint that it is linked to.
func TestMissedCommitsKeepTheirCheckpoint(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		git  func(w *world)
	}{
		{"amend -m", func(w *world) { w.Git("commit", "-q", "--amend", "-m", "better") }},
		{"amend --no-edit", func(w *world) { w.Git("commit", "-q", "--amend", "--no-edit") }},
		{"rebase", func(w *world) { w.Git("rebase", "-q", "other") }},
		{"squash merge", func(w *world) {
			w.Git("checkout", "-q", "other")
			w.Git("merge", "-q", "--squash", "main")
			w.Git("commit", "-q", "--no-edit")
		}},
		{"reset --soft", func(w *world) {
			w.Git("reset", "-q", "--soft", "HEAD~1")
			w.Git("commit", "-q", "-m", "again")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sourceFiles()).hooked()
			w.Git("checkout", "-q", "-b", "other")
			w.Write("o.txt", "other\n")
			w.Git("add", "-A")
			w.Git("-c", "core.hooksPath=", "commit", "-q", "-m", "other")
			w.Git("checkout", "-q", "main")
			w.prompt("s1", "write")
			w.writes("s1", "e-new.txt", "new.txt", "agent\nmore\n")
			w.shell("s1", "git add -A && git commit -q -m 'Add it'")
			w.stop("s1")
			cps := w.linked("HEAD")
			if len(cps) != 1 {
				t.Fatalf("linked to %v", cps)
			}
			tc.git(w)
			w.hooksWentWell()
			if got := w.trailer("HEAD"); got != cps[0] {
				t.Errorf("the new commit names %q, want %s", got, cps[0])
			}
		})
	}
}

// TestGeminiCommitsWithoutHooks: Gemini CLI's shell switches git's hooks off; both shapes
// of its transcript prove the commit.
func TestGeminiCommitsWithoutHooks(t *testing.T) {
	t.Parallel()
	bothShapes(t, func(t *testing.T, c *chat) {
		c.turn("write and commit", func() {
			c.Write("a.txt", "agent\n")
			c.Git("add", "-A")
			c.Git("-c", "core.hooksPath=", "commit", "-q", "-m", "Add a")
			args, _ := json.Marshal("git add -A && git commit -q -m 'Add a'")
			c.record("gemini", "Committing.", `"toolCalls":[{"id":"c1","name":"run_shell_command","status":"success","args":{"command":`+string(args)+`},"result":[{"functionResponse":{"response":{"output":"ok"}}}]}]`)
		})
		cps := c.linked("HEAD")
		if len(cps) != 1 {
			t.Fatalf("linked to %v: %s", cps, c.problems())
		}
		if m := c.stored(cps[0]); m.Agent != agent.AgentTypeGemini || !slices.Equal(m.FilesTouched, []string{"a.txt"}) {
			t.Errorf("stored: %+v", m)
		}
	})
}

// TestAgentsFirstCommitWithoutHooks: before it there was no commit to build on.
func TestAgentsFirstCommitWithoutHooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Git("checkout", "-q", "--orphan", "fresh")
	w.Git("rm", "-q", "-rf", "--ignore-unmatch", ".")
	if err := os.RemoveAll(w.GitPath("logs/HEAD")); err != nil {
		t.Fatal(err)
	}
	w.prompt("s1", "begin")
	w.writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
	w.shell("s1", "git add -A && git commit -m 'Begin'")
	w.stop("s1")
	if cps := w.linked("HEAD"); len(cps) != 1 {
		t.Errorf("linked to %v: %s", cps, w.problems())
	}
}
