package strategy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/session"
)

// orphans lists what a clean-up would delete, as "kind name".
func (w *world) orphans() []string {
	w.t.Helper()
	plan, err := w.engine().PlanCleanup(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, o := range plan.Orphans {
		name := o.Name
		if o.Kind == OrphanFile {
			name = filepath.Base(name)
		}
		out = append(out, string(o.Kind)+" "+name)
	}
	return out
}

func (w *world) wantOrphans(want ...string) {
	w.t.Helper()
	got := w.orphans()
	slices.Sort(got)
	slices.Sort(want)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Fatalf("orphans:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// cleaned carries the clean-up out.
func (w *world) cleaned() (deleted []Orphan, failed []FailedOrphan) {
	w.t.Helper()
	e := w.engine()
	plan, err := e.PlanCleanup(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return e.Cleanup(w.ctx, plan)
}

// later lets time pass.
func (w *world) later(d time.Duration) { w.now = w.now.Add(d) }

func (w *world) dropState(sid string) {
	w.t.Helper()
	if err := session.NewStateStore(w.GitPath(".")).Remove(w.ctx, sessionID(w.t, sid)); err != nil {
		w.t.Fatal(err)
	}
	os.Remove(w.GitPath("entire/sessions/" + sid + ".lock"))
}

func TestOrphanBranches(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		do      func(w *world)
		orphan  bool
		foreign bool
	}{
		{"of a session that waits for a commit", func(w *world) {}, false, false},
		{"of a session that has ended", func(w *world) { w.event(agent.SessionEnd, "s1", nil); w.later(1000 * time.Hour) }, false, false},
		{"of a session that is gone", func(w *world) { w.dropState("s1"); w.later(time.Hour) }, true, false},
		{"of a session that is gone a minute ago", func(w *world) { w.dropState("s1"); w.later(time.Minute) }, false, false},
		{"of a session that nobody can read", func(w *world) {
			w.later(time.Hour)
			if err := os.WriteFile(w.GitPath("entire-sessions/s1.json"), []byte("{"), 0o600); err != nil {
				w.t.Fatal(err)
			}
		}, false, true},
		{"with a commit of a person's on it", func(w *world) {
			w.dropState("s1")
			ref := w.shadows()[0]
			w.Git("update-ref", ref, w.Git("commit-tree", "-m", "mine", "-p", ref, ref+"^{tree}"))
			w.later(time.Hour)
		}, false, true},
		{"that a person made", func(w *world) {
			ref := w.shadows()[0]
			w.dropState("s1")
			w.Git("update-ref", ref, "HEAD")
			w.later(time.Hour)
		}, false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
			row.do(w)
			ref := w.shadows()[0]
			plan, err := w.engine().PlanCleanup(w.ctx)
			if err != nil {
				t.Fatal(err)
			}
			isOrphan := slices.ContainsFunc(plan.Orphans, func(o Orphan) bool { return o.Kind == OrphanBranch && o.Name == shortRef(ref) })
			isForeign := slices.ContainsFunc(plan.Foreign, func(k KeptFile) bool { return k.Path == shortRef(ref) })
			if isOrphan != row.orphan || isForeign != row.foreign {
				t.Errorf("orphan %v, foreign %v: %+v", isOrphan, isForeign, plan)
			}
			if deleted, failed := w.engine().Cleanup(w.ctx, plan); len(failed) > 0 || len(deleted) != len(plan.Orphans) {
				t.Errorf("deleted %v, failed %v", deleted, failed)
			}
			if left := len(w.shadows()) == 1; left == row.orphan {
				t.Errorf("branches %v", w.shadows())
			}
		})
	}
}

func TestOrphanStates(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		work   bool
		commit bool
		end    bool
		after  time.Duration
		orphan bool
	}{
		{"ended with nothing", false, false, true, time.Hour, true},
		{"ended with nothing just now", false, false, true, time.Minute, false},
		{"waiting for its next prompt", false, false, false, 2 * time.Hour, false},
		{"silent for days", false, false, false, 72 * time.Hour, true},
		{"with a step", true, false, true, 1000 * time.Hour, false},
		{"with a checkpoint", true, true, true, 1000 * time.Hour, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tune = func(o *Options) { o.KeepTurns = 2000 * time.Hour }
			w.turn("s1", "Say something", func() {
				if row.work {
					w.Write("a.txt", "a\n")
				}
			})
			if row.commit {
				w.Git("add", "-A")
				w.commit("work")
				w.turn("s1", "Thanks", func() {}) // its state does not name the checkpoint any more
			}
			if row.end {
				w.event(agent.SessionEnd, "s1", nil)
			}
			w.later(row.after)
			if row.orphan {
				w.wantOrphans("session-state s1")
				w.cleaned()
			}
			w.wantOrphans()
			if _, err := os.Stat(w.GitPath("entire-sessions/s1.json")); (err != nil) != row.orphan {
				t.Errorf("state: %v", err)
			}
		})
	}
}

// A session in the middle of a turn keeps everything, however silent it is.
func TestLiveSessionIsNeverCleaned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.prompt("s1", "Take your time")
	w.later(1000 * time.Hour)
	w.wantOrphans()
}

// What changed between the list and the deletion stays.
func TestCleanupComparesBeforeItDeletes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
	w.turn("s2", "Say", func() {})
	w.event(agent.SessionEnd, "s2", nil)
	w.dropState("s1")
	w.dropShadowName("s2")
	w.later(time.Hour)
	e := w.engine()
	plan, err := e.PlanCleanup(w.ctx)
	if err != nil || len(plan.Orphans) != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	ref := w.shadows()[0]
	w.turn("s2", "Back again", func() { w.Write("b.txt", "b\n") })
	w.turn("s3", "And me", func() { w.Write("c.txt", "c\n") })
	deleted, failed := e.Cleanup(w.ctx, plan)
	if len(deleted) != 0 || len(failed) != 2 {
		t.Errorf("deleted %v, failed %v", deleted, failed)
	}
	if !slices.Contains(w.shadows(), ref) {
		t.Errorf("%s is gone", ref)
	}
	w.state("s2")
}

// dropShadowName makes a session's base one that has no branch.
func (w *world) dropShadowName(sid string) {
	w.t.Helper()
	st := w.state(sid)
	st.BaseCommit = strings.Repeat("1", len(st.BaseCommit))
	if err := session.NewStateStore(w.GitPath(".")).Save(w.ctx, st); err != nil {
		w.t.Fatal(err)
	}
}

func TestOrphanRefs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
	tip := w.Git("rev-parse", w.shadows()[0])
	tree := w.Git("rev-parse", tip+"^{tree}")
	w.Git("update-ref", "refs/entire/backlog/s1", tree)
	w.Git("update-ref", "refs/entire/backlog/gone", tree)
	w.Git("update-ref", "refs/entire/undo/"+tip, tip)
	w.Git("update-ref", "refs/entire/orphans/1234567-e3b0c4-"+tip[:7], tip) // what s1's state names
	old := w.Git("commit-tree", "-m", checkpoint.StepMessage(checkpoint.Step{Kind: checkpoint.StepHuman, Subject: "x"}), tree)
	aside := "refs/entire/orphans/1234567-e3b0c4-" + old[:7]
	w.Git("update-ref", aside, old)
	w.Git("update-ref", "refs/entire/orphans/1234567-e3b0c4-"+tip[:6]+"x", old) // not named for it
	w.Git("update-ref", "refs/entire/agreed/x", old)
	w.wantOrphans("backlog refs/entire/backlog/gone", "set-aside "+aside)
	w.later(undoAge + time.Hour)
	w.wantOrphans("backlog refs/entire/backlog/gone", "set-aside "+aside, "undo refs/entire/undo/"+tip)
	if deleted, failed := w.cleaned(); len(deleted) != 3 || len(failed) > 0 {
		t.Errorf("deleted %v, failed %v", deleted, failed)
	}
	w.wantOrphans()
}

func TestOrphanFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
	old := time.Now().Add(-48 * time.Hour)
	put := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Dir(path), old, old); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{
		"entire-sessions/old.lock", "entire-sessions/old.d/engine.json", "entire-sessions/s1.lock", "entire-sessions/somebody-elses.txt",
		"entire/sessions/gone.lock", "entire/sessions/gone/engine.json", "entire/sessions/s1.lock",
		"entire-sessions/.s1.json.tmp-entire-123", "entire/sessions.index", "entire/agreed.json", "entire/commit.json",
	} {
		put(w.GitPath(path))
	}
	put(w.Path(".entire/tmp/pre-prompt-gone.json"))
	put(w.Path(".entire/tmp/settings.lock"))
	w.now = time.Now()
	want := []string{"file old.lock", "file old.d", "file gone.lock", "file gone", "file .s1.json.tmp-entire-123", "file commit.json", "file pre-prompt-gone.json"}
	w.wantOrphans(want...)
	if deleted, failed := w.cleaned(); len(deleted) != len(want) || len(failed) > 0 {
		t.Errorf("deleted %v, failed %v", deleted, failed)
	}
	w.wantOrphans()
	for _, path := range []string{"entire/sessions/s1.lock", "entire-sessions/s1.json", "entire-sessions/somebody-elses.txt", "entire/agreed.json"} {
		if _, err := os.Stat(w.GitPath(path)); err != nil {
			t.Error(err)
		}
	}
}

// Checkpoints of the auto-commit strategy are left over only when no commit
// anywhere in this repository names them.
func TestOrphanCheckpoints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.engine().repo
	n := 0
	store := func(strategy, sid string) id.CheckpointID {
		t.Helper()
		n++
		cp := id.MustCheckpointID(fmt.Sprintf("%012x", n))
		err := checkpoint.WriteRecord(w.ctx, repo, checkpoint.Record{ID: cp, Strategy: strategy, Sessions: []checkpoint.SessionRecord{{
			Metadata: checkpoint.CommittedMetadata{SessionID: sid, CreatedAt: w.now}}}})
		if err != nil {
			t.Fatal(err)
		}
		return cp
	}
	names := func(cp id.CheckpointID) string {
		return w.Git("commit-tree", "-m", "work\n\nEntire-Checkpoint: "+cp.String(), "HEAD^{tree}")
	}
	orphan, manual := store("auto-commit", "s1"), store("manual-commit", "s1")
	for _, ref := range []string{"refs/heads/feature", "refs/remotes/origin/x", "refs/tags/v1", "refs/stash"} {
		w.Git("update-ref", ref, names(store("auto-commit", "s1")))
	}
	w.Git("update-ref", "--create-reflog", "refs/heads/was", names(store("auto-commit", "s1")))
	w.Git("update-ref", "refs/heads/was", "HEAD") // only the reflog has it now
	side := w.elsewhere("side")
	side.Git("reset", "-q", "--hard", names(store("auto-commit", "s1")))

	w.Git("update-ref", "refs/remotes/origin/entire/checkpoints/v1", "entire/checkpoints/v1")
	notShared := store("auto-commit", "s1")
	w.later(time.Hour)
	w.wantOrphans("checkpoint " + notShared.String())
	w.turn("s1", "So it was me", func() {}) // its session is here: the commit would be, too
	w.wantOrphans("checkpoint "+notShared.String(), "checkpoint "+orphan.String())

	if deleted, failed := w.cleaned(); len(deleted) != 2 || len(failed) > 0 {
		t.Errorf("deleted %v, failed %v", deleted, failed)
	}
	w.Git("update-ref", "-d", "refs/remotes/origin/entire/checkpoints/v1")
	w.wantOrphans()
	if got := w.Git("log", "-1", "--format=%s", "entire/checkpoints/v1"); got != "Cleanup: removed 2 orphaned checkpoints" {
		t.Errorf("subject %q", got)
	}
	w.metadata(manual.String(), "metadata.json")
}

// Below the edge of a shallow clone a commit may name anything.
func TestShallowCloneProvesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	err := checkpoint.WriteRecord(w.ctx, w.engine().repo, checkpoint.Record{ID: id.MustCheckpointID("aaaaaaaaaaaa"), Strategy: "auto-commit",
		Sessions: []checkpoint.SessionRecord{{Metadata: checkpoint.CommittedMetadata{SessionID: "s1", CreatedAt: w.now}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.later(time.Hour)
	w.wantOrphans("checkpoint aaaaaaaaaaaa")
	if err := os.WriteFile(w.GitPath("shallow"), []byte(w.Head()+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.wantOrphans()
}

// A tree that a step shares with what the user stages later survives the prune
// that is under way when the step's branch goes, however old it is.
func TestCommitLeavesNoOldTrees(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		drop func(w *world)
	}{
		{"commit", func(w *world) { w.Git("add", "b.txt"); w.commit("work") }},
		{"reset", func(w *world) {
			e := w.engine()
			plan, err := e.PlanReset(w.ctx)
			if err == nil {
				_, err = e.Reset(w.ctx, plan)
			}
			if err != nil {
				w.t.Fatal(err)
			}
			w.cleaned()
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.turn("s1", "Write", func() { w.Write("dir/a.txt", "a\n"); w.Write("b.txt", "b\n") })
			staged := w.Git("rev-parse", w.shadows()[0]+":dir") // the tree that staging dir makes
			w.Remove("dir")
			old := time.Now().Add(-30 * 24 * time.Hour)
			filepath.WalkDir(w.GitPath("objects"), func(path string, e os.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					err = os.Chtimes(path, old, old)
				}
				return err
			})
			row.drop(w)
			if left := w.shadows(); len(left) > 0 {
				t.Fatalf("left %v", left)
			}
			w.Git("prune", "--expire=2.weeks.ago")
			if _, err := w.TryGit("ls-tree", staged); err != nil {
				t.Errorf("the tree is gone: %v", err)
			}
			w.Fsck()
		})
	}
}
