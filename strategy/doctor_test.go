package strategy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/session"
)

// examine returns the findings that are no notes.
func (w *world) examine() []Finding {
	w.t.Helper()
	var out []Finding
	for _, f := range w.engine().Examine(w.ctx, func(string, int, int) {}) {
		if !f.Note {
			out = append(out, f)
		}
	}
	return out
}

// diagnoses are what is found, as "kind subject".
func (w *world) diagnoses() string {
	w.t.Helper()
	var out []string
	for _, f := range w.examine() {
		out = append(out, f.Kind+" "+f.Subject)
	}
	return strings.Join(out, ", ")
}

// TestDoctor breaks one thing, has it found, and mended where that is possible.
func TestDoctor(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		wreck func(w *world)
		found string // kind; "" for nothing
		stays bool   // it cannot be mended from here
	}{
		{"all is well", func(w *world) {}, "", false},
		{"work waits for a commit", func(w *world) { w.event(agent.SessionEnd, "s1", nil); w.later(100 * time.Hour) }, "", false},
		{"a turn is under way", func(w *world) { w.prompt("s1", "Go on"); w.later(30 * time.Minute) }, "", false},
		{"a long turn whose agent writes", func(w *world) {
			w.prompt("s1", "Go on")
			w.later(3 * time.Hour)
			if err := os.Chtimes(w.transcript("s1"), w.now, w.now); err != nil {
				w.t.Fatal(err)
			}
		}, "", false},
		{"a turn whose agent is gone", func(w *world) {
			w.prompt("s1", "Go on")
			w.Write("late.txt", "late\n")
			w.later(5 * time.Hour)
		}, "stuck-session", false},
		{"committed where no hook ran", func(w *world) {
			w.event(agent.SessionEnd, "s1", nil)
			w.Git("add", "-A")
			w.Git("commit", "-q", "-m", "without hooks")
		}, "stuck-session", false},
		{"an unreadable state", func(w *world) {
			w.put("entire-sessions/s9.json", "{")
		}, "unreadable", false},
		{"a commit without its checkpoint", func(w *world) {
			w.Git("commit", "-q", "--allow-empty", "-m", "x\n\nEntire-Checkpoint: 0123456789ab")
		}, "dangling-trailer", true},
		{"no metadata branch", func(w *world) { w.Git("update-ref", "-d", "refs/heads/entire/checkpoints/v1") }, "metadata-branch", false},
		{"a rewind without a journal", func(w *world) { w.put("entire/stage/1234567/x", "x") }, "not-finished", false},
		{"a rewind whose journal is torn", func(w *world) { w.put("entire/rewind.json", "{") }, "not-finished", false},
		{"a lock of ours", func(w *world) {
			w.put("refs/heads/entire/1234567-e3b0c4.lock", "")
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(w.GitPath("refs/heads/entire/1234567-e3b0c4.lock"), old, old); err != nil {
				w.t.Fatal(err)
			}
		}, "stale-lock", false},
		{"a lock of the user's", func(w *world) {
			w.put("index.lock", "")
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(w.GitPath("index.lock"), old, old); err != nil {
				w.t.Fatal(err)
			}
		}, "stale-lock", true},
		{"a transcript that is not the one stored", func(w *world) {
			w.Git("add", "-A")
			cp := w.commit("work")
			w.replaceBlob("entire/checkpoints/v1:" + cp[:2] + "/" + cp[2:] + "/0/content_hash.txt")
		}, "checkpoint", true},
		{"a transcript that is not there", func(w *world) {
			w.Git("add", "-A")
			cp := w.commit("work")
			w.dropBlob("entire/checkpoints/v1:" + cp[:2] + "/" + cp[2:] + "/0/full.jsonl")
		}, "checkpoint", true},
		{"answers that cannot be read", func(w *world) { w.put("entire/destinations.json", "{") }, "unreadable", false},
		{"an index that names a lost tree", func(w *world) {
			w.Write("deep/er/x.txt", "x\n")
			w.Git("add", "-A")
			tree := w.Git("write-tree")
			lost := w.Git("rev-parse", tree+":deep/er")
			if err := os.Remove(w.GitPath("objects/" + lost[:2] + "/" + lost[2:])); err != nil {
				w.t.Fatal(err)
			}
		}, "index", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if err := w.engine().EnsureSetup(w.ctx); err != nil {
				t.Fatal(err)
			}
			w.turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
			row.wreck(w)
			before := w.examine()
			if row.found == "" {
				if len(before) > 0 {
					t.Fatalf("found %+v", before)
				}
				return
			}
			if len(before) != 1 || before[0].Kind != row.found || (before[0].Mend == nil) != row.stays || (before[0].Fix == "") != row.stays {
				t.Fatalf("found %+v", before)
			}
			if row.stays {
				if before[0].Hint == "" {
					t.Error("nothing says what to do")
				}
				return
			}
			if done, err := before[0].Mend(w.ctx); err != nil || done == "" {
				t.Fatalf("mended: %q, %v", done, err)
			}
			if after := w.diagnoses(); after != "" {
				t.Errorf("still there: %s", after)
			}
			w.Fsck()
		})
	}
}

// put writes a file into the git directory.
func (w *world) put(path, text string) {
	w.t.Helper()
	full := w.GitPath(path)
	err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o600))
	if err != nil {
		w.t.Fatal(err)
	}
}

// replaceBlob gives the path of a branch's tree another content.
func (w *world) replaceBlob(spec string) {
	w.t.Helper()
	_, path, _ := strings.Cut(spec, ":")
	blob := w.GitInput("sha256:0000", "hash-object", "-w", "--stdin")
	w.editBranch(spec, "--add", "--cacheinfo", "100644,"+blob+","+path)
}

// dropBlob takes the path out of a branch's tree.
func (w *world) dropBlob(spec string) {
	w.t.Helper()
	_, path, _ := strings.Cut(spec, ":")
	w.editBranch(spec, "--force-remove", path)
}

func (w *world) editBranch(spec string, change ...string) {
	w.t.Helper()
	branch, _, _ := strings.Cut(spec, ":")
	index := w.GitPath("scratch-index")
	run := func(args ...string) string {
		w.t.Helper()
		cmd := w.Command("git", args...)
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+index)
		out, err := cmd.Output()
		if err != nil {
			w.t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	run("read-tree", branch)
	run(append([]string{"update-index"}, change...)...)
	w.Git("update-ref", "refs/heads/"+branch, w.Git("commit-tree", "-p", branch, "-m", "x", run("write-tree")))
}

// The work of a session that ended is stored though no hook saw its commit, and
// what is in no commit yet stays pending.
func TestDoctorCondensesWhatWasCommitted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn("s1", "Write two", func() { w.Write("a.txt", "a\n"); w.Write("b.txt", "b\n") })
	w.event(agent.SessionEnd, "s1", nil)
	w.Git("add", "a.txt")
	w.Git("commit", "-q", "-m", "without hooks")
	for _, f := range w.examine() {
		if f.Kind != "stuck-session" || f.Mend == nil {
			continue
		}
		if _, err := f.Mend(w.ctx); err != nil {
			t.Fatal(err)
		}
	}
	subject := w.Git("log", "-1", "--format=%s", "entire/checkpoints/v1")
	cp := subject[strings.LastIndexByte(subject, ' ')+1:]
	if got := w.metadata(cp, "0/metadata.json"); !strings.Contains(got, `"a.txt"`) || strings.Contains(got, `"b.txt"`) {
		t.Errorf("stored %s", got)
	}
	if got := w.touched("s1"); got != "b.txt" {
		t.Errorf("pending %q", got)
	}
	if got := w.state("s1"); got.Phase != session.PhaseEnded || got.BaseCommit != w.Head() {
		t.Errorf("state %+v", got)
	}
	w.Git("add", "b.txt")
	if cp := w.commit("the rest"); cp == "" {
		t.Error("the rest was not linked")
	}
	if left := w.shadows(); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Steps that were set aside are told of, and do no harm.
func TestDoctorNotes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.engine().EnsureSetup(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
	e := w.engine()
	plan, err := e.PlanReset(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Reset(w.ctx, plan)
	if err != nil || out.SetAside == "" {
		t.Fatalf("%+v, %v", out, err)
	}
	all := w.engine().Examine(w.ctx, func(string, int, int) {})
	if len(all) != 1 || !all[0].Note || all[0].Subject != out.SetAside || !strings.Contains(all[0].Hint, out.Tip.Short()) {
		t.Errorf("found %+v", all)
	}
	w.turn("s1", "Again", func() { w.Write("b.txt", "b\n") })
	w.wantOrphans("set-aside " + out.SetAside)
}
