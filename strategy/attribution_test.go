package strategy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/session"
)

// told writes the attribution of a session in a checkpoint as
// agent/added/modified/removed/total; "none" when there is none.
func (w *world) told(cp, sid string) string {
	w.t.Helper()
	for i := 0; ; i++ {
		data, err := w.TryGit("show", fmt.Sprintf("entire/checkpoints/v1:%s/%s/%d/metadata.json", cp[:2], cp[2:], i))
		if err != nil {
			w.t.Fatalf("session %s is not in checkpoint %s", sid, cp)
		}
		var m checkpoint.CommittedMetadata
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			w.t.Fatal(err)
		}
		if m.SessionID != sid {
			continue
		}
		a := m.InitialAttribution
		if a == nil {
			return "none"
		}
		if want := 100 * float64(a.AgentLines) / float64(max(1, a.TotalCommitted)); a.AgentPercentage < want-0.001 || a.AgentPercentage > want+0.001 {
			w.t.Errorf("percentage %v of %+v", a.AgentPercentage, a)
		}
		if a.CalculatedAt.IsZero() {
			w.t.Error("no time")
		}
		return fmt.Sprintf("%d/%d/%d/%d/%d", a.AgentLines, a.HumanAdded, a.HumanModified, a.HumanRemoved, a.TotalCommitted)
	}
}

// numstat is what git says that HEAD added and removed.
func (w *world) numstat() (added, removed int) {
	w.t.Helper()
	for _, line := range strings.Split(w.Git("diff-tree", "-r", "--root", "--no-commit-id", "--numstat", "--no-renames", "HEAD"), "\n") {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] == "-" {
			continue
		}
		a, _ := strconv.Atoi(f[0])
		r, _ := strconv.Atoi(f[1])
		added, removed = added+a, removed+r
	}
	return added, removed
}

// wantTold checks the numbers, and that the total is git's.
func (w *world) wantTold(cp, sid, want string) {
	w.t.Helper()
	got := w.told(cp, sid)
	if got != want {
		w.t.Errorf("%s has agent/added/modified/removed/total %s, want %s", sid, got, want)
	}
	if added, _ := w.numstat(); !strings.HasSuffix(got, "/"+strconv.Itoa(added)) {
		w.t.Errorf("git counts %d lines added, the checkpoint says %s", added, got)
	}
	w.wantRecord(cp)
}

// lines are n lines that nobody else writes.
func lines(who string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of %s\n", i, who)
	}
	return b.String()
}

// edits says in the transcript that an edit tool has written a file.
func (w *world) edits(sid, path string) {
	w.t.Helper()
	w.sayRaw(sid, map[string]any{"type": "assistant", "uuid": "e-" + path, "message": map[string]any{"role": "assistant", "id": "m-" + path, "content": []any{
		map[string]any{"type": "tool_use", "id": "t-" + path, "name": "Write", "input": map[string]any{"file_path": w.Path(path), "content": ""}}}}})
	w.sayRaw(sid, map[string]any{"type": "user", "uuid": "r-" + path, "message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": "t-" + path, "content": "ok"}}}})
}

func (w *world) sayRaw(sid string, line map[string]any) {
	w.t.Helper()
	data, err := json.Marshal(line)
	if err != nil {
		w.t.Fatal(err)
	}
	f, err := os.OpenFile(w.transcript(sid), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(data, '\n')); err != nil {
		w.t.Fatal(err)
	}
}

func TestAttribution(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(w *world)
		want string
	}{
		{"an agent alone", func(w *world) {
			w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 10)) })
		}, "10/0/0/0/10"},
		{"a person before the turn", func(w *world) {
			w.Write("mine.txt", lines("person", 4))
			w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 10)) })
		}, "10/4/0/0/14"},
		{"a person in the agent's file between turns", func(w *world) {
			w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 10)) })
			w.Write("new.txt", lines("agent", 5)+lines("person", 3)+strings.TrimPrefix(lines("agent", 10), lines("agent", 5)))
			w.turn("s1", "more", func() { w.Write("new.txt", w.Read("new.txt")+lines("the second turn", 2)) })
		}, "12/3/0/0/15"},
		{"a person after the last turn", func(w *world) {
			w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 10)) })
			w.Write("new.txt", lines("agent", 10)+lines("person", 3))
			w.Write("other.txt", lines("person too", 2))
		}, "10/5/0/0/15"},
		{"a person rewords and deletes", func(w *world) {
			w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 10)) })
			w.Write("new.txt", strings.Replace(strings.Replace(lines("agent", 10), "line 3 of agent", "my words", 1), "line 9 of agent\n", "", 1))
			w.Write("a.txt", strings.Replace(w.Read("a.txt"), "two\n", "", 1))
		}, "8/0/1/1/9"},
		{"the agent deletes and replaces", func(w *world) {
			w.turn("s1", "write", func() {
				w.Write("a.txt", strings.Replace(strings.Replace(w.Read("a.txt"), "two\n", "", 1), "five\n", "FIVE\n", 1))
			})
		}, "1/0/0/0/1"},
		{"the agent deletes a file", func(w *world) {
			w.turn("s1", "write", func() { w.Remove("a.txt") })
		}, "0/0/0/0/0"},
		{"a formatter run by a person", func(w *world) {
			w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 10)) })
			w.Write("new.txt", "{\n\t"+strings.ReplaceAll(strings.TrimSuffix(lines("agent", 10), "\n"), "\n", "\n\t")+"\n}\n")
		}, "10/2/0/0/12"},
		{"CRLF and no final newline", func(w *world) {
			w.turn("s1", "write", func() { w.Write("new.txt", "one of agent\r\ntwo of agent") })
			w.Write("new.txt", "one of agent\r\ntwo of agent\r\nthree of person")
		}, "2/1/0/0/3"},
		{"a binary file has no lines", func(w *world) {
			w.turn("s1", "write", func() { w.Write("new.bin", "a\n\x00b\n"); w.Write("new.txt", "agent\n") })
		}, "1/0/0/0/1"},
		{"stashed and popped by a person", func(w *world) {
			w.turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+lines("agent", 3)) })
			full := w.Read("a.txt")
			w.Git("stash", "-q")
			w.turn("s1", "what do you see", func() {})
			w.Write("a.txt", full)
			w.turn("s1", "and now", func() { w.Write("a.txt", full+lines("agent again", 2)) })
		}, "5/0/0/0/5"},
		{"an agent's new file renamed by a person", func(w *world) {
			w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 4)); w.Write("same.txt", lines("agent, too", 3)) })
			w.Git("mv", "-f", "b.txt", "c.txt")
			w.Remove("new.txt")
			w.Write("renamed.txt", lines("agent", 4)+"and mine\n")
			w.turn("s1", "more", func() { w.Write("more.txt", "more\n") })
			w.Remove("more.txt")
			w.Write("less.txt", "more\n")
		}, "8/2/0/1/10"},
		{"an interrupted turn", func(w *world) {
			w.prompt("s1", "write")
			w.Write("new.txt", lines("agent", 4)+lines("nobody knows", 1))
			w.saysItWrote("s1", "t1", "new.txt", lines("agent", 4))
			w.turn("s1", "go on", func() { w.Write("new.txt", w.Read("new.txt")+lines("agent again", 2)) })
		}, "6/0/0/0/7"},
		{"rewound, then written again", func(w *world) {
			w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 4)) })
			first := w.points()[0].ID
			w.Write("new.txt", lines("agent", 4)+lines("person", 1))
			w.turn("s1", "more", func() { w.Write("new.txt", lines("agent", 1)+lines("person", 1)) })
			w.rewind(first)
			w.Write("new.txt", w.Read("new.txt")+"a line of the person\n")
		}, "4/1/0/0/5"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sourceFiles())
			tc.do(w)
			w.Git("add", "-A")
			w.wantTold(w.commit("work"), "s1", tc.want)
		})
	}
}

func TestAttributionOfASplitCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "write", func() { w.Write("one.txt", lines("agent", 3)); w.Write("two.txt", lines("agent", 5)) })
	w.Write("two.txt", lines("agent", 5)+lines("person", 2))
	w.turn("s1", "look", func() { w.Write("three.txt", lines("agent", 1)) })
	w.Git("add", "one.txt")
	w.wantTold(w.commit("one"), "s1", "3/0/0/0/3") // nobody removed what is left out
	w.Write("two.txt", w.Read("two.txt")+lines("person, later", 1))
	w.Git("add", "two.txt")
	w.wantTold(w.commit("two"), "s1", "5/3/0/0/8")
	w.Git("add", "-A")
	w.wantTold(w.commit("three"), "s1", "1/0/0/0/1")
}

func TestAttributionOfPartOfAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	original := w.Read("a.txt")
	w.Write("a.txt", "person's head\n"+original)
	w.turn("s1", "two hunks", func() {
		w.Write("a.txt", strings.Replace("person's head\n"+original, "three\n", "", 1)+lines("agent", 4))
	})
	both := w.Read("a.txt")
	w.Write("a.txt", "person's head\n"+original) // what `git add -p` stages of it, with the person's
	w.Git("add", "a.txt")
	w.Write("a.txt", both)
	w.Write("other.txt", "by hand\n")
	w.turn("s1", "another", func() { w.Write("new.txt", lines("agent's other", 2)) })
	w.Git("add", "new.txt")
	w.wantTold(w.commit("one"), "s1", "2/1/0/0/3")
	w.Git("add", "a.txt")
	w.wantTold(w.commit("two"), "s1", "4/0/0/0/4")
}

func TestAttributionOfSeveralSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "write", func() { w.Write("new.txt", lines("first agent", 3)) })
	w.turn("s2", "write", func() { w.Write("new.txt", w.Read("new.txt")+lines("second agent", 5)) })
	w.Write("new.txt", w.Read("new.txt")+"mine\n")
	w.Git("add", "-A")
	cp := w.commit("both")
	w.wantTold(cp, "s1", "3/1/0/0/9")
	w.wantTold(cp, "s2", "5/1/0/0/9")
}

func TestAttributionOfSessionsAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.prompt("s1", "write one")
	w.prompt("s2", "write two")
	w.writes("s1", "t1", "one.txt", lines("first agent", 3))
	w.writes("s2", "t2", "two.txt", lines("second agent", 5))
	w.Write("shared.txt", lines("nobody can tell", 2))
	w.stop("s1") // its step holds the beginning of two.txt
	w.Write("two.txt", lines("second agent", 7))
	w.stop("s2")
	w.Git("add", "-A")
	cp := w.commit("both")
	w.wantTold(cp, "s1", "3/0/0/0/12")
	w.wantTold(cp, "s2", "5/0/0/0/12") // of the other two no call tells
}

// What another session's step shows of a file, its own transcript tells.
func TestAttributionOfASessionAtWorkBesideACommit(t *testing.T) {
	t.Parallel()
	for _, auto := range []bool{false, true} {
		t.Run(fmt.Sprint("auto ", auto), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sourceFiles())
			if auto {
				w = newAuto(t, sourceFiles())
			}
			link := func(file string) string {
				if auto {
					return w.trailer("HEAD")
				}
				w.Git("add", file)
				return w.commit(file)
			}
			w.prompt("s1", "write one")
			w.prompt("s2", "write two")
			w.writes("s1", "t1", "one.txt", lines("first agent", 3))
			w.writes("s2", "t2", "two.txt", lines("second agent", 5))
			w.stop("s1")
			w.wantTold(link("one.txt"), "s1", "3/0/0/0/3")
			w.stop("s2")
			w.wantTold(link("two.txt"), "s2", "5/0/0/0/5")
		})
	}
}

func TestAttributionInMidTurn(t *testing.T) {
	t.Parallel()
	t.Run("the agent commits", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sourceFiles())
		w.Write("mine.txt", lines("person", 2))
		w.prompt("s1", "do it and commit")
		w.Write("new.txt", lines("agent", 3))
		w.Git("add", "-A")
		w.wantTold(w.commit("first"), "s1", "3/2/0/0/5")
		w.Write("new.txt", lines("agent", 7))
		w.Git("add", "-A")
		w.wantTold(w.commit("second"), "s1", "4/0/0/0/4")
		w.Write("a.txt", w.Read("a.txt")+"one more\n")
		w.stop("s1")
		w.Git("add", "-A")
		w.wantTold(w.commit("third"), "s1", "1/0/0/0/1")
	})
	t.Run("a person commits", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sourceFiles())
		w.tty = true
		w.prompt("s1", "write")
		w.writes("s1", "t1", "new.txt", lines("agent", 3))
		w.Write("new.txt", w.Read("new.txt")+"by hand, or by what the agent runs after its calls\n")
		w.Write("a.txt", w.Read("a.txt")+"by hand\n")
		w.Git("add", "-A")
		w.wantTold(w.commit("first"), "s1", "3/1/0/0/5")
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
			w := newWorld(t, sourceFiles()).hooked()
			w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 4)) })
			w.Write("mine.txt", lines("person", 2))
			w.Git("add", "-A")
			cp := w.gitCommit("-m", "work")
			w.wantTold(cp, "s1", "4/2/0/0/6")
			if tc.forget {
				if err := os.Remove(filepath.Join(w.GitPath("entire"), "lines.json")); err != nil {
					t.Fatal(err)
				}
			}
			w.turn("s1", "more", func() {
				w.Write("new.txt", strings.Replace(lines("agent", 4), "line 1 of agent", "line 1, better", 1)+"new line of agent\n")
			})
			w.Write("mine.txt", lines("person", 3))
			if again := w.gitCommit("-a", "--amend", "--no-edit"); again != cp {
				t.Fatalf("amended into %q", again)
			}
			if got := w.told(cp, "s1"); got != tc.want {
				t.Errorf("amended: %s, want %s", got, tc.want)
			}
		})
	}
}

func TestAttributionAfterHeadMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+lines("agent", 3)) })
	w.Write("b.txt", "by hand\n")
	w.Git("add", "b.txt")
	if cp := w.commit("unrelated"); cp != "" {
		t.Fatalf("linked to %s", cp)
	}
	// What a pull does: a line of the file comes with HEAD.
	full := w.Read("a.txt")
	w.Git("stash", "-q")
	w.Write("a.txt", "pulled\n"+w.Read("a.txt"))
	w.Git("commit", "-q", "--no-verify", "-am", "pulled")
	w.Git("stash", "drop", "-q")
	w.Write("a.txt", "pulled\n"+full)
	w.turn("s1", "more", func() { w.Write("a.txt", w.Read("a.txt")+lines("agent, later", 1)) })
	w.Git("add", "-A")
	w.wantTold(w.commit("work"), "s1", "4/0/0/0/4")
}

func TestAttributionSurvivesAKilledHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 4)) })
	w.Write("new.txt", lines("agent", 4)+"mine\n")
	w.Git("add", "-A")
	cp := w.commit("work")
	before := w.metadata(cp, "0/metadata.json")
	// The refs moved, and the state was not saved: the call is made again.
	st := w.state("s1")
	st.BaseCommit = w.Git("rev-parse", "HEAD~1")
	st.FilesTouched = []string{"new.txt"}
	if err := session.NewStateStore(w.GitPath(".")).Save(w.ctx, st); err != nil {
		t.Fatal(err)
	}
	if err := w.engine().PostCommit(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.wantTold(cp, "s1", "4/1/0/0/5")
	if before == "" {
		t.Error("nothing was stored")
	}
}

func TestAttributionFailsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 4)); w.Write("big.txt", strings.Repeat("x\n", 1<<20)) })
	w.Git("add", "-A")
	cp := w.commit("work")
	if got := w.told(cp, "s1"); got != "4/0/0/0/4" { // a file that large is not compared
		t.Errorf("told %s", got)
	}
}

func TestAttributionOfATask(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.prompt("s1", "delegate")
	task := func(ev *agent.Event) { ev.ToolUseID, ev.SubagentType = "toolu_1", "helper" }
	w.event(agent.TaskStart, "s1", task)
	w.Write("sub.txt", lines("subagent", 3))
	w.event(agent.TaskEnd, "s1", task)
	w.Write("new.txt", lines("agent", 2))
	w.stop("s1")
	w.Git("add", "-A")
	w.wantTold(w.commit("work"), "s1", "5/0/0/0/5")
}

func TestAttributionOfTheFirstCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Unborn())
	w.Write("mine.txt", lines("person", 2))
	w.turn("s1", "write", func() { w.Write("new.txt", lines("agent", 3)) })
	w.Git("add", "-A")
	w.wantTold(w.commit("first"), "s1", "3/2/0/0/5")
}

func TestAttributionOfAMerge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Git("switch", "-q", "-c", "theirs")
	w.Write("theirs.txt", lines("their branch", 9))
	w.Write("a.txt", "theirs\n"+w.Read("a.txt"))
	w.Git("add", "-A")
	w.Git("commit", "-q", "--no-verify", "-m", "theirs")
	w.Git("switch", "-q", "main")
	w.Git("commit", "-q", "--allow-empty", "-m", "ours")
	w.turn("s1", "merge, and add a file", func() {
		w.Git("merge", "-q", "--no-ff", "--no-commit", "theirs")
		w.Write("new.txt", lines("agent", 3))
		w.Write("a.txt", w.Read("a.txt")+"agent's last\n")
		w.Git("add", "-A")
	})
	cp := w.gitCommit("-m", "merge")
	if got := w.told(cp, "s1"); got != "4/0/0/0/4" {
		t.Errorf("told %s", got)
	}
}

func FuzzLineMemory(f *testing.F) {
	f.Add([]byte(`{"version":1,"files":[{"path":"a","blob":"00","runs":[{"n":3,"by":"agent","session":"s"},{"n":-1}]}]}`))
	f.Add([]byte(`{"version":1,"files":[{"runs":[{"n":999999999}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := parseLines(data)
		for _, file := range m.Files {
			oid, err := git.ParseOID(file.Blob)
			if err != nil {
				continue
			}
			if n := len(m.lines(file.Path, oid)); n > attribution.MaxLines {
				t.Fatalf("%d lines", n)
			}
		}
	})
}

// writeLarge makes n files with as many lines as are compared.
func (w *world) writeLarge(n int) {
	for i := range n {
		w.Write(fmt.Sprintf("large%d", i), fmt.Sprintln(i)+strings.Repeat("x\n", attribution.MaxLines-2))
	}
}

// What would take long is not done: the commit has its link all the same.
func TestAttributionIsBounded(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(w *world)
	}{
		{"large files", func(w *world) {
			w.turn("s1", "write", func() { w.writeLarge(130) })
		}},
		{"many versions", func(w *world) {
			for i := range versionsMax/2 + 1 {
				w.turn("s1", "write", func() { w.Write("f", w.Read("a.txt")+lines("agent", i+1)) })
				w.Write("f", w.Read("f")+lines("person", i+1))
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sourceFiles())
			tc.do(w)
			w.Write("a.txt", w.Read("a.txt")+"more\n")
			w.Git("add", "-A")
			if got := w.told(w.commit("all"), "s1"); got != "none" {
				t.Errorf("attributed: %s", got)
			}
		})
	}
	t.Run("what is left out may be forgotten", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sourceFiles())
		w.turn("s1", "write", func() {
			w.Write("small", lines("agent", 3))
			w.writeLarge(130)
		})
		w.Git("add", "small")
		w.wantTold(w.commit("some"), "s1", "3/0/0/0/3")
	})
}

// A tree's order is git's: a folder sorts as if its name ended in a slash.
func TestNamed(t *testing.T) {
	t.Parallel()
	tree := []git.TreeEntry{{Mode: git.ModeFile, Name: "a-b"}, {Mode: git.ModeFile, Name: "a.txt"}, {Mode: git.ModeTree, Name: "a"}, {Mode: git.ModeFile, Name: "a0"}}
	for _, e := range tree {
		if got := named(tree, e.Name, e.Mode == git.ModeTree); got.Name != e.Name || got.Mode != e.Mode {
			t.Errorf("%s: %+v", e.Name, got)
		}
		if got := named(tree, e.Name, e.Mode != git.ModeTree); got.Mode != 0 {
			t.Errorf("%s of the other kind: %+v", e.Name, got)
		}
	}
}
