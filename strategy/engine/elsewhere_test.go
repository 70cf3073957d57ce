package engine_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/strategy/internal/enginetest"
)

// A session of worktree A has the commit in worktree B if its calls or its content prove it, and A's own work
// stays pending there.
func TestCommitInAnotherWorktree(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		do   func(a, b *enginetest.World)
		want []string // files of s1 in the checkpoint of B's commit; nil for no link
		open string   // what is pending in A after the turn
	}{
		{"its calls wrote there", func(a, b *enginetest.World) {
			a.Prompt("s1", "write in the other worktree")
			b.Writes("s1", "e-b", "b.txt", "the agent wrote this\n")
			b.Git("add", "-A")
			b.Git("commit", "-q", "-m", "There")
			a.Stop("s1")
		}, []string{"b.txt"}, ""},
		{"and here", func(a, b *enginetest.World) {
			a.Prompt("s1", "write in both worktrees")
			a.Writes("s1", "e-a", "a.txt", "the agent wrote this here\n")
			b.Writes("s1", "e-b", "b.txt", "the agent wrote this\n")
			b.Git("add", "-A")
			b.Git("commit", "-q", "-m", "There")
			a.Stop("s1")
		}, []string{"b.txt"}, "a.txt"},
		{"among a person's files", func(a, b *enginetest.World) {
			a.Prompt("s1", "write in the other worktree")
			b.Writes("s1", "e-b", "b.txt", "the agent wrote this\n")
			b.Write("p.txt", "a person typed this\n")
			b.Git("add", "-A")
			b.Git("commit", "-q", "-m", "There")
			a.Stop("s1")
		}, []string{"b.txt"}, ""},
		{"its content", func(a, b *enginetest.World) {
			a.Turn("s1", "write", func() { a.Writes("s1", "e-a", "a.txt", "the agent wrote this\n") })
			b.Write("a.txt", "the agent wrote this\n")
			b.Git("add", "-A")
			b.Git("commit", "-q", "-m", "There")
		}, []string{"a.txt"}, "a.txt"},
		{"other content", func(a, b *enginetest.World) {
			a.Turn("s1", "write", func() { a.Writes("s1", "e-a", "a.txt", "the agent wrote this\n") })
			b.Write("a.txt", "a person typed this\n")
			b.Git("add", "-A")
			b.Git("commit", "-q", "-m", "There")
		}, nil, "a.txt"},
		{"an empty file", func(a, b *enginetest.World) {
			a.Turn("s1", "write", func() { a.Write("empty", "") })
			b.Write("empty", "")
			b.Git("add", "-A")
			b.Git("commit", "-q", "-m", "There")
		}, nil, "empty"},
		{"a person beside its turn", func(a, b *enginetest.World) {
			a.Prompt("s1", "write")
			a.Writes("s1", "e-a", "a.txt", "the agent wrote this\n")
			b.Write("p.txt", "a person typed this\n")
			b.Git("add", "-A")
			b.Git("commit", "-q", "-m", "There")
			a.Stop("s1")
		}, nil, "a.txt"},
		{"a relative path of its own worktree", func(a, b *enginetest.World) {
			a.Prompt("s1", "write")
			a.WritesRelative("s1", "p.txt", "the agent wrote this\n")
			b.Write("p.txt", "a person typed this\n")
			b.Git("add", "-A")
			b.Git("commit", "-q", "-m", "There")
			a.Stop("s1")
		}, nil, "p.txt"},
		{"amended", func(a, b *enginetest.World) {
			a.Prompt("s1", "write in the other worktree")
			b.Writes("s1", "e-b", "b.txt", "the agent wrote this\n")
			b.Git("add", "-A")
			b.Git("commit", "-q", "-m", "There")
			b.Writes("s1", "e-c", "c.txt", "and this\n")
			b.Git("add", "-A")
			b.Git("commit", "-q", "--amend", "-m", "There, better")
			a.Stop("s1")
		}, []string{"b.txt", "c.txt"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			a := enginetest.NewWorld(t).Hooked()
			b := a.Elsewhere("side")
			row.do(a, b)
			a.HooksWentWell()
			cp := b.Trailer("HEAD")
			if (cp != "") != (row.want != nil) {
				t.Fatalf("linked to %q, want files %v", cp, row.want)
			}
			if got := a.Touched("s1"); got != row.open {
				t.Errorf("pending in A: %q, want %q", got, row.open)
			}
			if ids := a.StateOf("s1").TurnCheckpointIDs; len(ids) > 0 {
				t.Errorf("checkpoints without the end of the turn: %v", ids)
			}
			if got := a.StateOf("s1").WorktreePath; got != a.Dir {
				t.Errorf("the session moved to %s", got)
			}
			if cp != "" {
				if got := b.Slots(cp)["s1"]; !slices.Equal(got, row.want) {
					t.Errorf("files of the checkpoint: %v, want %v", got, row.want)
				}
				file := row.want[0]
				if got := b.Owners(cp, file); !strings.Contains(got, "s1") {
					t.Errorf("owners of %s: %s", file, got)
				}
				if slices.Contains(b.FilesOf("HEAD"), "p.txt") {
					if got := b.Owners(cp, "p.txt"); strings.Contains(got, "s1") {
						t.Errorf("owners of p.txt: %s", got)
					}
				}
			}
			if row.open != "" && row.open != "empty" { // the work that stayed is linked in its own worktree
				a.Git("add", "-A")
				if here := a.GitCommit("-m", "Here"); here == "" || here == cp {
					t.Errorf("A's own commit names %q", here)
				}
			}
			a.Fsck()
		})
	}
}

// The process that commits descends from the agent whose hook began the turn: real processes, and a person's
// commit that does not.
func TestCommitByTheAgentsProcessInAnotherWorktree(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the system does not show processes")
	}
	for _, person := range []bool{false, true} {
		a := enginetest.NewWorld(t).Hooked()
		b := a.Elsewhere("side")
		begin := a.Process(agent.TurnStart, "s1", "make it in the other worktree")
		payload := filepath.Join(t.TempDir(), "payload")
		data, err := io.ReadAll(begin.Stdin)
		if err == nil {
			err = os.WriteFile(payload, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		commit := `git -C "$B" add -A && git -C "$B" commit -q -m made`
		script := `sh -c '"$HOOK" <"$PAYLOAD"; exit $?' && echo made >"$B/made.txt"`
		if !person {
			script += " && (sh -c '" + commit + "')"
		}
		script += "\nexit $?\n"
		agentFile := filepath.Join(t.TempDir(), "agent.sh")
		if err := os.WriteFile(agentFile, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		run := func(args ...string) {
			t.Helper()
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir, cmd.Env = a.Dir, append(slices.Clone(begin.Env), "HOOK="+begin.Path, "PAYLOAD="+payload, "B="+b.Dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
		}
		run("sh", agentFile)
		if person {
			run("sh", "-c", commit)
		}
		a.HooksWentWell()
		if cp := b.Trailer("HEAD"); (cp != "") == person {
			t.Errorf("person %v: the commit names %q", person, cp)
		} else if cp != "" && !slices.Equal(b.Slots(cp)["s1"], []string{"made.txt"}) {
			t.Errorf("the checkpoint lists %v", b.Slots(cp))
		}
	}
}
