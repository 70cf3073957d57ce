package maintain_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/strategy/handoff"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

func TestOrphanBranches(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		do      func(w *enginetest.World)
		orphan  bool
		foreign bool
	}{
		{"of a session that waits for a commit", func(w *enginetest.World) {}, false, false},
		{"of a session that has ended", func(w *enginetest.World) { w.Event(agent.SessionEnd, "s1", nil); w.Later(1000 * time.Hour) }, false, false},
		{"of a session that is gone", func(w *enginetest.World) { w.DropState("s1"); w.Later(time.Hour) }, true, false},
		{"of a session that is gone a minute ago", func(w *enginetest.World) { w.DropState("s1"); w.Later(time.Minute) }, false, false},
		{"of a session whose state is damaged", func(w *enginetest.World) { damage(w, "entire-sessions/s1.json") }, false, false},
		{"of a session that nobody can read", func(w *enginetest.World) {
			damage(w, "entire-sessions/s1.json", "entire/sessions/s1/engine.json")
		}, false, true},
		{"with a commit of a person's on it", func(w *enginetest.World) {
			w.DropState("s1")
			ref := w.Shadows()[0]
			w.Git("update-ref", ref, w.Git("commit-tree", "-m", "mine", "-p", ref, ref+"^{tree}"))
			w.Later(time.Hour)
		}, false, true},
		{"that a person made", func(w *enginetest.World) {
			ref := w.Shadows()[0]
			w.DropState("s1")
			w.Git("update-ref", ref, "HEAD")
			w.Later(time.Hour)
		}, false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t)
			w.Turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
			row.do(w)
			ref := w.Shadows()[0]
			plan, err := maintain.PlanCleanup(w.Ctx, w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			isOrphan := slices.ContainsFunc(plan.Orphans, func(o handoff.Orphan) bool { return o.Kind == handoff.OrphanBranch && o.Name == step.ShortBranch(ref) })
			isForeign := slices.ContainsFunc(plan.Foreign, func(k sessionstate.KeptFile) bool { return k.Path == step.ShortBranch(ref) })
			if isOrphan != row.orphan || isForeign != row.foreign {
				t.Errorf("orphan %v, foreign %v: %+v", isOrphan, isForeign, plan)
			}
			if deleted, failed := maintain.Cleanup(w.Ctx, w.Engine(), plan); len(failed) > 0 || len(deleted) != len(plan.Orphans) {
				t.Errorf("deleted %v, failed %v", deleted, failed)
			}
			if left := len(w.Shadows()) == 1; left == row.orphan {
				t.Errorf("branches %v", w.Shadows())
			}
		})
	}
}

// damage leaves a brace of each file, an hour later.
func damage(w *enginetest.World, files ...string) {
	w.T.Helper()
	w.Later(time.Hour)
	for _, name := range files {
		if err := os.WriteFile(w.GitPath(name), []byte("{"), 0o600); err != nil {
			w.T.Fatal(err)
		}
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
			w := enginetest.NewWorld(t)
			w.Tune = func(o *sessionstate.Options) { o.KeepTurns = 2000 * time.Hour }
			w.Turn("s1", "Say something", func() {
				if row.work {
					w.Write("a.txt", "a\n")
				}
			})
			if row.commit {
				w.Git("add", "-A")
				w.CommitHooked("work")
				w.Turn("s1", "Thanks", func() {}) // its state does not name the checkpoint any more
			}
			if row.end {
				w.Event(agent.SessionEnd, "s1", nil)
			}
			w.Later(row.after)
			if row.orphan {
				w.WantOrphans("session-state s1")
				w.Cleaned()
			}
			w.WantOrphans()
			if _, err := os.Stat(w.GitPath("entire-sessions/s1.json")); (err != nil) != row.orphan {
				t.Errorf("state: %v", err)
			}
		})
	}
}

// A session in the middle of a turn keeps everything, however silent it is.
func TestLiveSessionIsNeverCleaned(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Prompt("s1", "Take your time")
	w.Later(1000 * time.Hour)
	w.WantOrphans()
}

// What changed between the list and the deletion stays.
func TestCleanupComparesBeforeItDeletes(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
	w.Turn("s2", "Say", func() {})
	w.Event(agent.SessionEnd, "s2", nil)
	w.DropState("s1")
	w.DropShadowName("s2")
	w.Later(time.Hour)
	e := w.Engine()
	plan, err := maintain.PlanCleanup(w.Ctx, e)
	if err != nil || len(plan.Orphans) != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	ref := w.Shadows()[0]
	w.Turn("s2", "Back again", func() { w.Write("b.txt", "b\n") })
	w.Turn("s3", "And me", func() { w.Write("c.txt", "c\n") })
	deleted, failed := maintain.Cleanup(w.Ctx, e, plan)
	if len(deleted) != 0 || len(failed) != 2 {
		t.Errorf("deleted %v, failed %v", deleted, failed)
	}
	if !slices.Contains(w.Shadows(), ref) {
		t.Errorf("%s is gone", ref)
	}
	w.State("s2")
}

func TestOrphanRefs(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
	tip := w.Git("rev-parse", w.Shadows()[0])
	tree := w.Git("rev-parse", tip+"^{tree}")
	w.Git("update-ref", "refs/entire/backlog/s1", tree)
	w.Git("update-ref", "refs/entire/backlog/gone", tree)
	w.Git("update-ref", "refs/entire/undo/"+tip, tip)
	w.Git("update-ref", "refs/entire/orphans/1234567-e3b0c4-"+tip[:7], tip) // what s1's state names
	old := w.Git("commit-tree", "-m", shadow.StepMessage(shadow.Step{Kind: shadow.StepHuman, Subject: "x"}), tree)
	aside := "refs/entire/orphans/1234567-e3b0c4-" + old[:7]
	w.Git("update-ref", aside, old)
	w.Git("update-ref", "refs/entire/orphans/1234567-e3b0c4-"+tip[:6]+"x", old) // not named for it
	w.Git("update-ref", "refs/entire/agreed/x", old)
	w.WantOrphans("backlog refs/entire/backlog/gone", "set-aside "+aside)
	w.Later(step.UndoAge + time.Hour)
	w.WantOrphans("backlog refs/entire/backlog/gone", "set-aside "+aside, "undo refs/entire/undo/"+tip)
	if deleted, failed := w.Cleaned(); len(deleted) != 3 || len(failed) > 0 {
		t.Errorf("deleted %v, failed %v", deleted, failed)
	}
	w.WantOrphans()
}

func TestOrphanFiles(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
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
	w.Now = time.Now()
	want := []string{"file old.lock", "file old.d", "file gone.lock", "file gone", "file .s1.json.tmp-entire-123", "file commit.json", "file pre-prompt-gone.json"}
	w.WantOrphans(want...)
	if deleted, failed := w.Cleaned(); len(deleted) != len(want) || len(failed) > 0 {
		t.Errorf("deleted %v, failed %v", deleted, failed)
	}
	w.WantOrphans()
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
	w := enginetest.NewWorld(t)
	repo := w.Engine().Repo
	n := 0
	store := func(strategy, sid string) id.CheckpointID {
		t.Helper()
		n++
		cp := id.MustCheckpointID(fmt.Sprintf("%012x", n))
		err := metadata.WriteRecord(w.Ctx, repo, metadata.Record{ID: cp, Strategy: strategy, Sessions: []metadata.SessionRecord{{
			Metadata: metadata.CommittedMetadata{SessionID: sid, CreatedAt: w.Now}}}})
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
	side := w.Elsewhere("side")
	side.Git("reset", "-q", "--hard", names(store("auto-commit", "s1")))

	w.Git("update-ref", "refs/remotes/origin/entire/checkpoints/v1", "entire/checkpoints/v1")
	notShared := store("auto-commit", "s1")
	w.Later(time.Hour)
	w.WantOrphans("checkpoint " + notShared.String())
	w.Turn("s1", "So it was me", func() {}) // its session is here: the commit would be, too
	w.WantOrphans("checkpoint "+notShared.String(), "checkpoint "+orphan.String())

	if deleted, failed := w.Cleaned(); len(deleted) != 2 || len(failed) > 0 {
		t.Errorf("deleted %v, failed %v", deleted, failed)
	}
	w.Git("update-ref", "-d", "refs/remotes/origin/entire/checkpoints/v1")
	w.WantOrphans()
	if got := w.Git("log", "-1", "--format=%s", "entire/checkpoints/v1"); got != "Cleanup: removed 2 orphaned checkpoints" {
		t.Errorf("subject %q", got)
	}
	w.Metadata(manual.String(), "metadata.json")
}

// Below the edge of a shallow clone a commit may name anything.
func TestShallowCloneProvesNothing(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	err := metadata.WriteRecord(w.Ctx, w.Engine().Repo, metadata.Record{ID: id.MustCheckpointID("aaaaaaaaaaaa"), Strategy: "auto-commit",
		Sessions: []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: "s1", CreatedAt: w.Now}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.Later(time.Hour)
	w.WantOrphans("checkpoint aaaaaaaaaaaa")
	if err := os.WriteFile(w.GitPath("shallow"), []byte(w.Head()+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.WantOrphans()
}

// A tree that a step shares with what the user stages later survives the prune
// that is under way when the step's branch goes, however old it is.
func TestCommitLeavesNoOldTrees(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		drop func(w *enginetest.World)
	}{
		{"commit", func(w *enginetest.World) { w.Git("add", "b.txt"); w.CommitHooked("work") }},
		{"reset", func(w *enginetest.World) {
			e := w.Engine()
			plan, err := maintain.PlanReset(w.Ctx, e)
			if err == nil {
				_, err = maintain.Reset(w.Ctx, e, plan)
			}
			if err != nil {
				w.T.Fatal(err)
			}
			w.Cleaned()
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t)
			w.Turn("s1", "Write", func() { w.Write("dir/a.txt", "a\n"); w.Write("b.txt", "b\n") })
			staged := w.Git("rev-parse", w.Shadows()[0]+":dir") // the tree that staging dir makes
			w.Remove("dir")
			old := time.Now().Add(-30 * 24 * time.Hour)
			filepath.WalkDir(w.GitPath("objects"), func(path string, e os.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					err = os.Chtimes(path, old, old)
				}
				return err
			})
			row.drop(w)
			if left := w.Shadows(); len(left) > 0 {
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
