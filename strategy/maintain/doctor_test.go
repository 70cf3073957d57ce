package maintain_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/session"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/restore"
)

// TestDoctor breaks one thing, has it found, and mended where that is possible.
func TestDoctor(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		wreck func(w *enginetest.World)
		found string // kind; "" for nothing
		stays bool   // it cannot be mended from here
	}{
		{"all is well", func(w *enginetest.World) {}, "", false},
		{"work waits for a commit", func(w *enginetest.World) { w.Event(agent.SessionEnd, "s1", nil); w.Later(100 * time.Hour) }, "", false},
		{"a turn is under way", func(w *enginetest.World) { w.Prompt("s1", "Go on"); w.Later(30 * time.Minute) }, "", false},
		{"a long turn whose agent writes", func(w *enginetest.World) {
			w.Prompt("s1", "Go on")
			w.Later(3 * time.Hour)
			if err := os.Chtimes(w.Transcript("s1"), w.Now, w.Now); err != nil {
				w.T.Fatal(err)
			}
		}, "", false},
		{"a turn whose agent is gone", func(w *enginetest.World) {
			w.Prompt("s1", "Go on")
			w.Write("late.txt", "late\n")
			w.Later(5 * time.Hour)
		}, "stuck-session", false},
		{"committed where no hook ran", func(w *enginetest.World) {
			w.Event(agent.SessionEnd, "s1", nil)
			w.Git("add", "-A")
			w.Git("commit", "-q", "-m", "without hooks")
		}, "stuck-session", false},
		{"an unreadable state", func(w *enginetest.World) {
			w.Put("entire-sessions/s9.json", "{")
		}, "unreadable", false},
		{"a commit without its checkpoint", func(w *enginetest.World) {
			w.Git("commit", "-q", "--allow-empty", "-m", "x\n\nEntire-Checkpoint: 0123456789ab")
		}, "dangling-trailer", true},
		{"no metadata branch", func(w *enginetest.World) { w.Git("update-ref", "-d", "refs/heads/entire/checkpoints/v1") }, "metadata-branch", false},
		{"a rewind without a journal", func(w *enginetest.World) { w.Put("entire/stage/1234567/x", "x") }, "not-finished", false},
		{"a rewind whose journal is torn", func(w *enginetest.World) { w.Put("entire/rewind.json", "{") }, "not-finished", false},
		{"a lock of ours", func(w *enginetest.World) {
			w.Put("refs/heads/entire/1234567-e3b0c4.lock", "")
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(w.GitPath("refs/heads/entire/1234567-e3b0c4.lock"), old, old); err != nil {
				w.T.Fatal(err)
			}
		}, "stale-lock", false},
		{"a lock of the user's", func(w *enginetest.World) {
			w.Put("index.lock", "")
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(w.GitPath("index.lock"), old, old); err != nil {
				w.T.Fatal(err)
			}
		}, "stale-lock", true},
		{"our lock of packed refs", func(w *enginetest.World) {
			w.Put("packed-refs.lock", "locked by entire to delete a ref\n")
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(w.GitPath("packed-refs.lock"), old, old); err != nil {
				w.T.Fatal(err)
			}
		}, "stale-lock", false},
		{"a lock of refs in tables", func(w *enginetest.World) {
			w.Put("reftable/tables.list.lock", "")
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(w.GitPath("reftable/tables.list.lock"), old, old); err != nil {
				w.T.Fatal(err)
			}
		}, "stale-lock", true},
		{"a transcript that is not the one stored", func(w *enginetest.World) {
			w.Git("add", "-A")
			cp := w.CommitHooked("work")
			w.ReplaceBlob("entire/checkpoints/v1:" + cp[:2] + "/" + cp[2:] + "/0/content_hash.txt")
		}, "checkpoint", true},
		{"a transcript that is not there", func(w *enginetest.World) {
			w.Git("add", "-A")
			cp := w.CommitHooked("work")
			w.DropBlob("entire/checkpoints/v1:" + cp[:2] + "/" + cp[2:] + "/0/full.jsonl")
		}, "checkpoint", true},
		{"answers that cannot be read", func(w *enginetest.World) { w.Put("entire/destinations.json", "{") }, "unreadable", false},
		{"an index that names a lost tree", func(w *enginetest.World) {
			w.Write("deep/er/x.txt", "x\n")
			w.Git("add", "-A")
			tree := w.Git("write-tree")
			lost := w.Git("rev-parse", tree+":deep/er")
			if err := os.Remove(w.GitPath("objects/" + lost[:2] + "/" + lost[2:])); err != nil {
				w.T.Fatal(err)
			}
		}, "index", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t)
			if err := restore.EnsureSetup(w.Ctx, w.Engine()); err != nil {
				t.Fatal(err)
			}
			w.Turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
			row.wreck(w)
			before := w.Examine()
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
			if done, err := before[0].Mend(w.Ctx); err != nil || done == "" {
				t.Fatalf("mended: %q, %v", done, err)
			}
			if after := w.Diagnoses(); after != "" {
				t.Errorf("still there: %s", after)
			}
			w.Fsck()
		})
	}
}

// The work of a session that ended is stored though no hook saw its commit, and
// what is in no commit yet stays pending.
func TestDoctorCondensesWhatWasCommitted(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "Write two", func() { w.Write("a.txt", "a\n"); w.Write("b.txt", "b\n") })
	w.Event(agent.SessionEnd, "s1", nil)
	w.Git("add", "a.txt")
	w.Git("commit", "-q", "-m", "without hooks")
	for _, f := range w.Examine() {
		if f.Kind != "stuck-session" || f.Mend == nil {
			continue
		}
		if _, err := f.Mend(w.Ctx); err != nil {
			t.Fatal(err)
		}
	}
	subject := w.Git("log", "-1", "--format=%s", "entire/checkpoints/v1")
	cp := subject[strings.LastIndexByte(subject, ' ')+1:]
	if got := w.Metadata(cp, "0/metadata.json"); !strings.Contains(got, `"a.txt"`) || strings.Contains(got, `"b.txt"`) {
		t.Errorf("stored %s", got)
	}
	if got := w.Touched("s1"); got != "b.txt" {
		t.Errorf("pending %q", got)
	}
	if got := w.State("s1"); got.Phase != session.PhaseEnded || got.BaseCommit != w.Head() {
		t.Errorf("state %+v", got)
	}
	w.Git("add", "b.txt")
	if cp := w.CommitHooked("the rest"); cp == "" {
		t.Error("the rest was not linked")
	}
	if left := w.Shadows(); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Steps that were set aside are told of, and do no harm.
func TestDoctorNotes(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	if err := restore.EnsureSetup(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	w.Turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
	e := w.Engine()
	plan, err := maintain.PlanReset(w.Ctx, e)
	if err != nil {
		t.Fatal(err)
	}
	out, err := maintain.Reset(w.Ctx, e, plan)
	if err != nil || out.SetAside == "" {
		t.Fatalf("%+v, %v", out, err)
	}
	all := maintain.Examine(w.Ctx, w.Engine(), func(string, int, int) {})
	if len(all) != 1 || !all[0].Note || all[0].Subject != out.SetAside || !strings.Contains(all[0].Hint, out.Tip.Short()) {
		t.Errorf("found %+v", all)
	}
	w.Turn("s1", "Again", func() { w.Write("b.txt", "b\n") })
	w.WantOrphans("set-aside " + out.SetAside)
}
