package ownership_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/session"
	"entire/strategy/engine"
	"entire/strategy/internal/enginetest"
	"entire/strategy/ownership"
	"entire/strategy/step"
)

func TestAttribution(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(w *enginetest.World)
		want string
	}{
		{"an agent alone", func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.Write("new.txt", enginetest.Lines("agent", 10)) })
		}, "10/0/0/0/10"},
		{"a person before the turn", func(w *enginetest.World) {
			w.Write("mine.txt", enginetest.Lines("person", 4))
			w.Turn("s1", "write", func() { w.Write("new.txt", enginetest.Lines("agent", 10)) })
		}, "10/4/0/0/14"},
		{"a person in the agent's file between turns", func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.Write("new.txt", enginetest.Lines("agent", 10)) })
			w.Write("new.txt", enginetest.Lines("agent", 5)+enginetest.Lines("person", 3)+strings.TrimPrefix(enginetest.Lines("agent", 10), enginetest.Lines("agent", 5)))
			w.Turn("s1", "more", func() { w.Write("new.txt", w.Read("new.txt")+enginetest.Lines("the second turn", 2)) })
		}, "12/3/0/0/15"},
		{"a person after the last turn", func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.Write("new.txt", enginetest.Lines("agent", 10)) })
			w.Write("new.txt", enginetest.Lines("agent", 10)+enginetest.Lines("person", 3))
			w.Write("other.txt", enginetest.Lines("person too", 2))
		}, "10/5/0/0/15"},
		{"a person rewords and deletes", func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.Write("new.txt", enginetest.Lines("agent", 10)) })
			w.Write("new.txt", strings.Replace(strings.Replace(enginetest.Lines("agent", 10), "line 3 of agent", "my words", 1), "line 9 of agent\n", "", 1))
			w.Write("a.txt", strings.Replace(w.Read("a.txt"), "two\n", "", 1))
		}, "8/0/1/1/9"},
		{"the agent deletes and replaces", func(w *enginetest.World) {
			w.Turn("s1", "write", func() {
				w.Write("a.txt", strings.Replace(strings.Replace(w.Read("a.txt"), "two\n", "", 1), "five\n", "FIVE\n", 1))
			})
		}, "1/0/0/0/1"},
		{"the agent deletes a file", func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.Remove("a.txt") })
		}, "0/0/0/0/0"},
		{"a formatter run by a person", func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.Write("new.txt", enginetest.Lines("agent", 10)) })
			w.Write("new.txt", "{\n\t"+strings.ReplaceAll(strings.TrimSuffix(enginetest.Lines("agent", 10), "\n"), "\n", "\n\t")+"\n}\n")
		}, "10/2/0/0/12"},
		{"CRLF and no final newline", func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.Write("new.txt", "one of agent\r\ntwo of agent") })
			w.Write("new.txt", "one of agent\r\ntwo of agent\r\nthree of person")
		}, "2/1/0/0/3"},
		{"a binary file has no lines", func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.Write("new.bin", "a\n\x00b\n"); w.Write("new.txt", "agent\n") })
		}, "1/0/0/0/1"},
		{"stashed and popped by a person", func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+enginetest.Lines("agent", 3)) })
			full := w.Read("a.txt")
			w.Git("stash", "-q")
			w.Turn("s1", "what do you see", func() {})
			w.Write("a.txt", full)
			w.Turn("s1", "and now", func() { w.Write("a.txt", full+enginetest.Lines("agent again", 2)) })
		}, "5/0/0/0/5"},
		{"an agent's new file renamed by a person", func(w *enginetest.World) {
			w.Turn("s1", "write", func() {
				w.Write("new.txt", enginetest.Lines("agent", 4))
				w.Write("same.txt", enginetest.Lines("agent, too", 3))
			})
			w.Git("mv", "-f", "b.txt", "c.txt")
			w.Remove("new.txt")
			w.Write("renamed.txt", enginetest.Lines("agent", 4)+"and mine\n")
			w.Turn("s1", "more", func() { w.Write("more.txt", "more\n") })
			w.Remove("more.txt")
			w.Write("less.txt", "more\n")
		}, "8/1/0/1/10"}, // no one wrote the line of b.txt: it moved to c.txt
		{"an interrupted turn", func(w *enginetest.World) {
			w.Prompt("s1", "write")
			w.Write("new.txt", enginetest.Lines("agent", 4)+enginetest.Lines("nobody knows", 1))
			w.SaysItWrote("s1", "t1", "new.txt", enginetest.Lines("agent", 4))
			w.Turn("s1", "go on", func() {
				w.Write("new.txt", w.Read("new.txt")+enginetest.Lines("agent again", 2))
				w.SaysItWrote("s1", "t2", "new.txt", enginetest.Lines("agent again", 2))
			})
		}, "6/0/0/0/7"},
		{"rewound, then written again", func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.Write("new.txt", enginetest.Lines("agent", 4)) })
			first := w.Points()[0].ID
			w.Write("new.txt", enginetest.Lines("agent", 4)+enginetest.Lines("person", 1))
			w.Turn("s1", "more", func() { w.Write("new.txt", enginetest.Lines("agent", 1)+enginetest.Lines("person", 1)) })
			w.Rewind(first)
			w.Write("new.txt", w.Read("new.txt")+"a line of the person\n")
		}, "4/1/0/0/5"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles())
			tc.do(w)
			w.Git("add", "-A")
			w.WantTold(w.CommitHooked("work"), "s1", tc.want)
		})
	}
}

func TestAttributionOfASplitCommit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "write", func() {
		w.Write("one.txt", enginetest.Lines("agent", 3))
		w.Write("two.txt", enginetest.Lines("agent", 5))
	})
	w.Write("two.txt", enginetest.Lines("agent", 5)+enginetest.Lines("person", 2))
	w.Turn("s1", "look", func() { w.Write("three.txt", enginetest.Lines("agent", 1)) })
	w.Git("add", "one.txt")
	w.WantTold(w.CommitHooked("one"), "s1", "3/0/0/0/3") // nobody removed what is left out
	w.Write("two.txt", w.Read("two.txt")+enginetest.Lines("person, later", 1))
	w.Git("add", "two.txt")
	w.WantTold(w.CommitHooked("two"), "s1", "5/3/0/0/8")
	w.Git("add", "-A")
	w.WantTold(w.CommitHooked("three"), "s1", "1/0/0/0/1")
}

func TestAttributionOfPartOfAFile(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	original := w.Read("a.txt")
	w.Write("a.txt", "person's head\n"+original)
	w.Turn("s1", "two hunks", func() {
		w.Write("a.txt", strings.Replace("person's head\n"+original, "three\n", "", 1)+enginetest.Lines("agent", 4))
	})
	both := w.Read("a.txt")
	w.Write("a.txt", "person's head\n"+original) // what `git add -p` stages of it, with the person's
	w.Git("add", "a.txt")
	w.Write("a.txt", both)
	w.Write("other.txt", "by hand\n")
	w.Turn("s1", "another", func() { w.Write("new.txt", enginetest.Lines("agent's other", 2)) })
	w.Git("add", "new.txt")
	w.WantTold(w.CommitHooked("one"), "s1", "2/1/0/0/3")
	w.Git("add", "a.txt")
	w.WantTold(w.CommitHooked("two"), "s1", "4/0/0/0/4")
}

func TestAttributionOfSeveralSessions(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "write", func() { w.Write("new.txt", enginetest.Lines("first agent", 3)) })
	w.Turn("s2", "write", func() { w.Write("new.txt", w.Read("new.txt")+enginetest.Lines("second agent", 5)) })
	w.Write("new.txt", w.Read("new.txt")+"mine\n")
	w.Git("add", "-A")
	cp := w.CommitHooked("both")
	w.WantTold(cp, "s1", "3/1/0/0/9")
	w.WantTold(cp, "s2", "5/1/0/0/9")
}

func TestAttributionOfSessionsAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Prompt("s1", "write one")
	w.Prompt("s2", "write two")
	w.Writes("s1", "t1", "one.txt", enginetest.Lines("first agent", 3))
	w.Writes("s2", "t2", "two.txt", enginetest.Lines("second agent", 5))
	w.Write("beside.txt", enginetest.Lines("person", 2)) // no call of either wrote it
	w.Stop("s1")                                         // its step holds the beginning of two.txt
	w.Write("two.txt", enginetest.Lines("second agent", 7))
	w.Stop("s2")
	w.Git("add", "-A")
	cp := w.CommitHooked("both")
	w.WantTold(cp, "s1", "3/2/0/0/12")
	w.WantTold(cp, "s2", "5/2/0/0/12") // of its last two lines no call tells
}

// What another session's step shows of a file, its own transcript tells.
func TestAttributionOfASessionAtWorkBesideACommit(t *testing.T) {
	t.Parallel()
	for _, auto := range []bool{false, true} {
		t.Run(fmt.Sprint("auto ", auto), func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles())
			if auto {
				w = enginetest.NewAuto(t, enginetest.SourceFiles())
			}
			link := func(file string) string {
				if auto {
					return w.Trailer("HEAD")
				}
				w.Git("add", file)
				return w.CommitHooked(file)
			}
			w.Prompt("s1", "write one")
			w.Prompt("s2", "write two")
			w.Writes("s1", "t1", "one.txt", enginetest.Lines("first agent", 3))
			w.Writes("s2", "t2", "two.txt", enginetest.Lines("second agent", 5))
			w.Stop("s1")
			w.WantTold(link("one.txt"), "s1", "3/0/0/0/3")
			w.Stop("s2")
			w.WantTold(link("two.txt"), "s2", "5/0/0/0/5")
		})
	}
}

func TestAttributionInMidTurn(t *testing.T) {
	t.Parallel()
	t.Run("the agent commits", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles())
		w.Write("mine.txt", enginetest.Lines("person", 2))
		w.Prompt("s1", "do it and commit")
		w.Write("new.txt", enginetest.Lines("agent", 3))
		w.Git("add", "-A")
		w.WantTold(w.CommitHooked("first"), "s1", "3/2/0/0/5")
		w.Write("new.txt", enginetest.Lines("agent", 7))
		w.Git("add", "-A")
		w.WantTold(w.CommitHooked("second"), "s1", "4/0/0/0/4")
		w.Write("a.txt", w.Read("a.txt")+"one more\n")
		w.Stop("s1")
		w.Git("add", "-A")
		w.WantTold(w.CommitHooked("third"), "s1", "1/0/0/0/1")
	})
	t.Run("a person commits", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles())
		w.Tty = true
		w.Prompt("s1", "write")
		w.Writes("s1", "t1", "new.txt", enginetest.Lines("agent", 3))
		w.Write("new.txt", w.Read("new.txt")+"by hand, or by what the agent runs after its calls\n")
		w.Write("a.txt", w.Read("a.txt")+"by hand\n")
		w.Git("add", "-A")
		w.WantTold(w.CommitHooked("first"), "s1", "3/1/0/0/5")
	})
}

func TestAttributionOfAnAmendedCommit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		forget bool
		want   string
	}{
		{"as it was", false, "5/3/0/0/8"},
		{"without memory of the lines", true, "5/3/0/0/8"}, // the checkpoint has them
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Turn("s1", "write", func() { w.Write("new.txt", enginetest.Lines("agent", 4)) })
			w.Write("mine.txt", enginetest.Lines("person", 2))
			w.Git("add", "-A")
			cp := w.GitCommit("-m", "work")
			w.WantTold(cp, "s1", "4/2/0/0/6")
			if tc.forget {
				if err := os.Remove(filepath.Join(w.GitPath("entire"), "lines.json")); err != nil {
					t.Fatal(err)
				}
			}
			w.Turn("s1", "more", func() {
				w.Write("new.txt", strings.Replace(enginetest.Lines("agent", 4), "line 1 of agent", "line 1, better", 1)+"new line of agent\n")
			})
			w.Write("mine.txt", enginetest.Lines("person", 3))
			if again := w.GitCommit("-a", "--amend", "--no-edit"); again != cp {
				t.Fatalf("amended into %q", again)
			}
			if got := w.Told(cp, "s1"); got != tc.want {
				t.Errorf("amended: %s, want %s", got, tc.want)
			}
		})
	}
}

func TestAttributionAfterHeadMoved(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+enginetest.Lines("agent", 3)) })
	w.Write("b.txt", "by hand\n")
	w.Git("add", "b.txt")
	if cp := w.CommitHooked("unrelated"); cp != "" {
		t.Fatalf("linked to %s", cp)
	}
	// What a pull does: a line of the file comes with HEAD.
	full := w.Read("a.txt")
	w.Git("stash", "-q")
	w.Write("a.txt", "pulled\n"+w.Read("a.txt"))
	w.Git("commit", "-q", "--no-verify", "-am", "pulled")
	w.Git("stash", "drop", "-q")
	w.Write("a.txt", "pulled\n"+full)
	w.Turn("s1", "more", func() { w.Write("a.txt", w.Read("a.txt")+enginetest.Lines("agent, later", 1)) })
	w.Git("add", "-A")
	w.WantTold(w.CommitHooked("work"), "s1", "4/0/0/0/4")
}

func TestAttributionSurvivesAKilledHook(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "write", func() { w.Write("new.txt", enginetest.Lines("agent", 4)) })
	w.Write("new.txt", enginetest.Lines("agent", 4)+"mine\n")
	w.Git("add", "-A")
	cp := w.CommitHooked("work")
	before := w.Metadata(cp, "0/metadata.json")
	// The refs moved, and the state was not saved: the call is made again.
	st := w.State("s1")
	st.BaseCommit = w.Git("rev-parse", "HEAD~1")
	st.FilesTouched = []string{"new.txt"}
	if err := session.NewStateStore(w.GitPath(".")).Save(w.Ctx, st); err != nil {
		t.Fatal(err)
	}
	if err := engine.PostCommit(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	w.WantTold(cp, "s1", "4/1/0/0/5")
	if before == "" {
		t.Error("nothing was stored")
	}
}

func TestAttributionFailsAlone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "write", func() {
		w.Write("new.txt", enginetest.Lines("agent", 4))
		w.Write("big.txt", strings.Repeat("x\n", 1<<20))
	})
	w.Git("add", "-A")
	cp := w.CommitHooked("work")
	if got := w.Told(cp, "s1"); got != "4/0/0/0/4" { // a file that large is not compared
		t.Errorf("told %s", got)
	}
}

func TestAttributionOfATask(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Prompt("s1", "delegate")
	task := func(ev *agent.Event) { ev.ToolUseID, ev.SubagentType = "toolu_1", "helper" }
	w.Event(agent.TaskStart, "s1", task)
	w.Write("sub.txt", enginetest.Lines("subagent", 3))
	w.Event(agent.TaskEnd, "s1", task)
	w.Write("new.txt", enginetest.Lines("agent", 2))
	w.Stop("s1")
	w.Git("add", "-A")
	w.WantTold(w.CommitHooked("work"), "s1", "5/0/0/0/5")
}

func TestAttributionOfTheFirstCommit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Unborn())
	w.Write("mine.txt", enginetest.Lines("person", 2))
	w.Turn("s1", "write", func() { w.Write("new.txt", enginetest.Lines("agent", 3)) })
	w.Git("add", "-A")
	w.WantTold(w.CommitHooked("first"), "s1", "3/2/0/0/5")
}

func TestAttributionOfAMerge(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Git("switch", "-q", "-c", "theirs")
	w.Write("theirs.txt", enginetest.Lines("their branch", 9))
	w.Write("a.txt", "theirs\n"+w.Read("a.txt"))
	w.Git("add", "-A")
	w.Git("commit", "-q", "--no-verify", "-m", "theirs")
	w.Git("switch", "-q", "main")
	w.Git("commit", "-q", "--allow-empty", "-m", "ours")
	w.Turn("s1", "merge, and add a file", func() {
		w.Git("merge", "-q", "--no-ff", "--no-commit", "theirs")
		w.Write("new.txt", enginetest.Lines("agent", 3))
		w.Write("a.txt", w.Read("a.txt")+"agent's last\n")
		w.Git("add", "-A")
	})
	cp := w.GitCommit("-m", "merge")
	if got := w.Told(cp, "s1"); got != "4/0/0/0/4" {
		t.Errorf("told %s", got)
	}
}

func FuzzLineMemory(f *testing.F) {
	f.Add([]byte(`{"version":1,"files":[{"path":"a","blob":"00","runs":[{"n":3,"by":"agent","session":"s"},{"n":-1}]}]}`))
	f.Add([]byte(`{"version":1,"files":[{"runs":[{"n":999999999}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := ownership.ParseLineMemory(data)
		for _, file := range m.Files {
			oid, err := git.ParseOID(file.Blob)
			if err != nil {
				continue
			}
			if n := len(m.Lines(file.Path, oid)); n > attribution.MaxLines {
				t.Fatalf("%d lines", n)
			}
		}
	})
}

// What would take long is not done: the commit has its link all the same.
func TestAttributionIsBounded(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(w *enginetest.World)
	}{
		{"large files", func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.WriteLarge(130) })
		}},
		{"many versions", func(w *enginetest.World) {
			for i := range ownership.VersionsMax/2 + 1 {
				w.Turn("s1", "write", func() { w.Write("f", w.Read("a.txt")+enginetest.Lines("agent", i+1)) })
				w.Write("f", w.Read("f")+enginetest.Lines("person", i+1))
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles())
			tc.do(w)
			w.Write("a.txt", w.Read("a.txt")+"more\n")
			w.Git("add", "-A")
			if got := w.Told(w.CommitHooked("all"), "s1"); got != "none" {
				t.Errorf("attributed: %s", got)
			}
		})
	}
	t.Run("what is left out may be forgotten", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles())
		w.Turn("s1", "write", func() {
			w.Write("small", enginetest.Lines("agent", 3))
			w.WriteLarge(130)
		})
		w.Git("add", "small")
		w.WantTold(w.CommitHooked("some"), "s1", "3/0/0/0/3")
	})
}

// A tree's order is git's: a folder sorts as if its name ended in a slash.
func TestNamed(t *testing.T) {
	t.Parallel()
	tree := []git.TreeEntry{{Mode: git.ModeFile, Name: "a-b"}, {Mode: git.ModeFile, Name: "a.txt"}, {Mode: git.ModeTree, Name: "a"}, {Mode: git.ModeFile, Name: "a0"}}
	for _, e := range tree {
		if got := step.EntryNamed(tree, e.Name, e.Mode == git.ModeTree); got.Name != e.Name || got.Mode != e.Mode {
			t.Errorf("%s: %+v", e.Name, got)
		}
		if got := step.EntryNamed(tree, e.Name, e.Mode != git.ModeTree); got.Mode != 0 {
			t.Errorf("%s of the other kind: %+v", e.Name, got)
		}
	}
}
