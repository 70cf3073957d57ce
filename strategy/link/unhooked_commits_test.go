package link_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/strategy/internal/enginetest"
)

// TestAgentCommitsWithoutHooks: what an agent commits with git's hooks switched off is
// recorded when its turn ends, and the commit stays as it is.
func TestAgentCommitsWithoutHooks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(w *enginetest.World)
		want map[string]string // files of the checkpoint, by the commit that is linked to it
		open string            // what is still pending at the turn's end
	}{
		{"its file", func(w *enginetest.World) {
			w.Writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.Shell("s1", "git add -A && git commit -q -m 'Add a'")
		}, map[string]string{"HEAD": "a.txt"}, ""},
		{"a file of the shell's", func(w *enginetest.World) {
			w.Shell("s1", "echo agent >a.txt && git add -A && git commit -m 'Add a'")
		}, map[string]string{"HEAD": "a.txt"}, ""},
		{"and works on", func(w *enginetest.World) {
			w.Writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.Shell("s1", "git add -A && git commit -q -m 'Add a'")
			w.Writes("s1", "e-b.txt", "b.txt", "later\n")
		}, map[string]string{"HEAD": "a.txt"}, "b.txt"},
		{"twice", func(w *enginetest.World) {
			w.Writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.Shell("s1", "git add -A && git commit -q -m 'Add a'")
			w.Writes("s1", "e-b.txt", "b.txt", "later\n")
			w.Shell("s1", "git add -A && git commit -q -m 'Add b'")
		}, map[string]string{"HEAD~1": "a.txt", "HEAD": "b.txt"}, ""},
		{"amended", func(w *enginetest.World) {
			w.Writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.Shell("s1", "git add -A && git commit -q -m 'Add a'")
			w.Shell("s1", "git commit -q --amend -m 'Add the a'")
		}, map[string]string{"HEAD": "a.txt"}, ""},
		{"after a step of a turn before", func(w *enginetest.World) {
			w.Writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.Stop("s1")
			w.Prompt("s1", "commit it")
			w.Shell("s1", "git add -A && git commit -q -m 'Add a'")
		}, map[string]string{"HEAD": "a.txt"}, ""},
		{"half by a person", func(w *enginetest.World) {
			w.Writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.Write("p.txt", "person\n")
			w.Shell("s1", "git add a.txt && git commit -q -m 'Add a'")
			w.Git("add", "p.txt")
			w.Git("-c", "core.hooksPath=", "commit", "-q", "-m", "Mine")
		}, map[string]string{"HEAD~1": "a.txt", "HEAD": ""}, ""},
		{"a person, with the agent's work", func(w *enginetest.World) {
			w.Writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.Git("add", "a.txt")
			w.Git("-c", "core.hooksPath=", "commit", "-q", "-m", "Mine")
			w.Shell("s1", "git log --grep=commit --oneline -1")
		}, map[string]string{"HEAD": "a.txt"}, ""},
		{"a person's file", func(w *enginetest.World) {
			w.Stop("s1")
			w.Write("p.txt", "person\n")
			w.Prompt("s1", "commit it")
			w.Shell("s1", "git add p.txt && git commit -q -m 'Add p'")
		}, map[string]string{"HEAD": ""}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t).Hooked()
			w.Turn("s0", "hello", func() {})
			w.Prompt("s1", "write")
			tc.do(w)
			made := w.Git("log", "--format=%H %s")
			w.Stop("s1")
			if got := w.Git("log", "--format=%H %s"); got != made {
				t.Errorf("the history was rewritten:\n%s\nwas\n%s", got, made)
			}
			for rev, files := range tc.want {
				cps := w.Linked(rev)
				if files == "" && len(cps) == 0 {
					continue
				}
				if len(cps) != 1 || w.Trailer(rev) != "" {
					t.Fatalf("%s is linked to %v\n%s", rev, cps, w.Problems())
				}
				if got := strings.Join(w.Slots(cps[0])["s1"], " "); got != files {
					t.Errorf("%s: files of the checkpoint: %q, want %q", rev, got, files)
				}
				if strings.Contains(w.Problems(), w.Git("rev-parse", rev)[:7]) {
					t.Errorf("%s is linked, and a problem: %s", rev, w.Problems())
				}
			}
			if tc.name == "its file" {
				if got := w.Calls(w.Linked("HEAD")[0], "a.txt"); got != "s1:e-a.txt" {
					t.Errorf("owners of the lines: %s", got)
				}
			}
			if got := w.Touched("s1"); got != tc.open {
				t.Errorf("pending: %q, want %q", got, tc.open)
			}
			if ids := w.StateOf("s1").TurnCheckpointIDs; len(ids) > 0 {
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
		git  func(w *enginetest.World)
	}{
		{"amend -m", func(w *enginetest.World) { w.Git("commit", "-q", "--amend", "-m", "better") }},
		{"amend --no-edit", func(w *enginetest.World) { w.Git("commit", "-q", "--amend", "--no-edit") }},
		{"rebase", func(w *enginetest.World) { w.Git("rebase", "-q", "other") }},
		{"squash merge", func(w *enginetest.World) {
			w.Git("checkout", "-q", "other")
			w.Git("merge", "-q", "--squash", "main")
			w.Git("commit", "-q", "--no-edit")
		}},
		{"reset --soft", func(w *enginetest.World) {
			w.Git("reset", "-q", "--soft", "HEAD~1")
			w.Git("commit", "-q", "-m", "again")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Git("checkout", "-q", "-b", "other")
			w.Write("o.txt", "other\n")
			w.Git("add", "-A")
			w.Git("-c", "core.hooksPath=", "commit", "-q", "-m", "other")
			w.Git("checkout", "-q", "main")
			w.Prompt("s1", "write")
			w.Writes("s1", "e-new.txt", "new.txt", "agent\nmore\n")
			w.Shell("s1", "git add -A && git commit -q -m 'Add it'")
			w.Stop("s1")
			cps := w.Linked("HEAD")
			if len(cps) != 1 {
				t.Fatalf("linked to %v", cps)
			}
			tc.git(w)
			w.HooksWentWell()
			if got := w.Trailer("HEAD"); got != cps[0] {
				t.Errorf("the new commit names %q, want %s", got, cps[0])
			}
		})
	}
}

// TestGeminiCommitsWithoutHooks: Gemini CLI's shell switches git's hooks off; both shapes
// of its transcript prove the commit.
func TestGeminiCommitsWithoutHooks(t *testing.T) {
	t.Parallel()
	enginetest.BothShapes(t, func(t *testing.T, c *enginetest.Chat) {
		c.Turn("write and commit", func() {
			c.Write("a.txt", "agent\n")
			c.Git("add", "-A")
			c.Git("-c", "core.hooksPath=", "commit", "-q", "-m", "Add a")
			args, _ := json.Marshal("git add -A && git commit -q -m 'Add a'")
			c.Record("gemini", "Committing.", `"toolCalls":[{"id":"c1","name":"run_shell_command","status":"success","args":{"command":`+string(args)+`},"result":[{"functionResponse":{"response":{"output":"ok"}}}]}]`)
		})
		cps := c.Linked("HEAD")
		if len(cps) != 1 {
			t.Fatalf("linked to %v: %s", cps, c.Problems())
		}
		if m := c.Stored(cps[0]); m.Agent != agent.AgentTypeGemini || !slices.Equal(m.FilesTouched, []string{"a.txt"}) {
			t.Errorf("stored: %+v", m)
		}
	})
}

// TestAgentsFirstCommitWithoutHooks: before it there was no commit to build on.
func TestAgentsFirstCommitWithoutHooks(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Git("checkout", "-q", "--orphan", "fresh")
	w.Git("rm", "-q", "-rf", "--ignore-unmatch", ".")
	if err := os.RemoveAll(w.GitPath("logs/HEAD")); err != nil {
		t.Fatal(err)
	}
	w.Prompt("s1", "begin")
	w.Writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
	w.Shell("s1", "git add -A && git commit -m 'Begin'")
	w.Stop("s1")
	if cps := w.Linked("HEAD"); len(cps) != 1 {
		t.Errorf("linked to %v: %s", cps, w.Problems())
	}
}

// TestCommitIsRecordedWhenItsCallEnds: the hook after the call knows the command before the transcript has
// it, and whatever is at the terminal.
func TestCommitIsRecordedWhenItsCallEnds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, runs, told string
		want             string // files of the checkpoint, "" for none
	}{
		{"its file", "echo agent >a.txt && git add -A && git commit -q -m 'Add a'", "", "a.txt"},
		{"a call that did not commit", "echo agent >a.txt && git add -A && git commit -q -m 'Add a'", "git status", ""},
		{"another commit", "echo agent >a.txt && git add -A && git commit -q -m 'Add a'", "git commit -m 'Add b'", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t).Hooked()
			w.Tty = true
			w.Prompt("s1", "write and commit")
			w.Unhooked(row.runs)
			told := row.told
			if told == "" {
				told = row.runs
			}
			made := w.Git("rev-parse", "HEAD")
			w.ToolEnded("s1", told)
			cps := w.Linked("HEAD")
			if row.want == "" {
				if len(cps) > 0 {
					t.Errorf("linked to %v", cps)
				}
				return
			}
			if len(cps) != 1 || w.Trailer("HEAD") != "" || w.Git("rev-parse", "HEAD") != made {
				t.Fatalf("linked to %v: %s", cps, w.Problems())
			}
			if got := strings.Join(w.Slots(cps[0])["s1"], " "); got != row.want {
				t.Errorf("files: %q, want %q", got, row.want)
			}
			w.ToolEnded("s1", told)
			w.Say("s1", "assistant", "Done.")
			w.Stop("s1")
			if again := w.Linked("HEAD"); len(again) != 1 || again[0] != cps[0] {
				t.Errorf("linked to %v, then to %v", cps, again)
			}
			if ids := w.StateOf("s1").TurnCheckpointIDs; len(ids) > 0 {
				t.Errorf("checkpoints without the end of the turn: %v", ids)
			}
			if !strings.Contains(w.Metadata(cps[0], "0/full.jsonl"), "Done.") {
				t.Error("the checkpoint lacks the end of the turn")
			}
			w.Fsck()
		})
	}
}

// TestNextCommitRecordsTheOneBefore: the hooks of the next commit find what was committed without them in
// the same turn, whoever makes the next one.
func TestNextCommitRecordsTheOneBefore(t *testing.T) {
	t.Parallel()
	for _, person := range []bool{false, true} {
		t.Run(fmt.Sprint("person ", person), func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t).Hooked()
			w.Prompt("s1", "write and commit")
			w.Writes("s1", "e-a.txt", "a.txt", "agent wrote this\n")
			w.Shell("s1", "git add -A && git commit -q -m 'Add a'")
			first := w.Git("rev-parse", "HEAD")
			w.Tty = person
			w.Writes("s1", "e-b.txt", "b.txt", "later\n")
			w.Git("add", "-A")
			w.Git("commit", "-q", "-m", "Add b")
			w.HooksWentWell()
			if got := w.Git("rev-parse", "HEAD~1"); got != first {
				t.Errorf("the first commit was rewritten: %s, was %s", got, first)
			}
			for rev, file := range map[string]string{"HEAD~1": "a.txt", "HEAD": "b.txt"} {
				cp := w.Trailer(rev)
				if cps := w.Linked(rev); len(cps) == 1 {
					cp += cps[0]
				}
				if cp == "" {
					t.Fatalf("%s is not linked: %s", rev, w.Problems())
				}
				if got := strings.Join(w.Slots(cp)["s1"], " "); got != file {
					t.Errorf("%s: files %q, want %q", rev, got, file)
				}
			}
			w.Stop("s1")
			if got := w.Touched("s1"); got != "" {
				t.Errorf("pending: %q", got)
			}
			w.Fsck()
		})
	}
}

// TestAgentCommitsWithoutHooksInAnotherWorktree: the calls of its turn prove such a commit, too; an earlier
// one with the same subject, and a person's, are not taken for it.
func TestAgentCommitsWithoutHooksInAnotherWorktree(t *testing.T) {
	t.Parallel()
	for _, tool := range []bool{false, true} {
		w := enginetest.NewWorld(t).Hooked()
		b := w.Elsewhere("side")
		b.Write("old.txt", "an earlier commit\n")
		b.Git("add", "-A")
		b.Setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00")
		b.Git("-c", "core.hooksPath=", "-c", "user.name=x", "commit", "-q", "-m", "Add b", "--date", "2026-01-01T00:00:00")
		b.Unsetenv("GIT_COMMITTER_DATE")
		old := b.Git("rev-parse", "HEAD")
		w.Now = time.Now().Add(-time.Second)
		w.Prompt("s1", "write there and commit")
		command := "cd '" + b.Dir + "' && echo made >b.txt && git add -A && git commit -q -m 'Add b'"
		if tool {
			w.Unhooked(command)
			w.ToolEnded("s1", command)
		} else {
			w.Shell("s1", command)
			w.Stop("s1")
		}
		cps := b.Linked("HEAD")
		if len(cps) != 1 || b.Trailer("HEAD") != "" {
			t.Fatalf("tool %v: linked to %v: %s", tool, cps, w.Problems())
		}
		if got := b.Slots(cps[0])["s1"]; !slices.Equal(got, []string{"b.txt"}) {
			t.Errorf("files of the checkpoint: %v", got)
		}
		if cps := b.Linked(old); len(cps) > 0 {
			t.Errorf("the earlier commit is linked to %v", cps)
		}
		if tool {
			w.Stop("s1")
		}
		b.Write("p.txt", "a person typed this\n")
		b.Git("add", "-A")
		b.Git("-c", "core.hooksPath=", "commit", "-q", "-m", "Mine")
		w.Turn("s1", "go on", func() {})
		if cps := b.Linked("HEAD"); len(cps) > 0 {
			t.Errorf("the person's commit is linked to %v", cps)
		}
		w.Fsck()
	}
}
