package condense_test

import (
	"testing"
	"time"

	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/handoff"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

func TestWorkThrownAwayIsKeptAndListed(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", "e.txt": "e\n"})).Hooked()
	w.Turn("s1", "first", func() { w.Write("e.txt", "the agent's\n") })
	point := w.Points()[0].ID
	w.Git("checkout", "HEAD", "--", "e.txt")
	w.Turn("s1", "second", func() { w.Write("a.txt", "agent\n") })
	if w.GitCommit("-a", "-m", "a only") == "" {
		t.Fatal("not linked")
	}
	w.Git("reflog", "expire", "--expire=now", "--all")
	w.Git("gc", "-q", "--prune=now")
	log := w.Log()
	if len(log) != 1 || log[0].Kind != condense.RewindDropped || log[0].Files != 1 || log[0].Gone {
		t.Fatalf("log: %+v", log)
	}
	if p, err := step.FindPoint(w.Ctx, w.Engine(), point); err != nil || p.ID != point {
		t.Errorf("the step: %v", err)
	}
	w.Back(enginetest.Undoing, log[0].ID)
	if w.Read("e.txt") != "the agent's\n" || w.Read("a.txt") != "agent\n" {
		t.Errorf("e.txt %q, a.txt %q", w.Read("e.txt"), w.Read("a.txt"))
	}
	w.Fsck()
}

// A commit that keeps discarded work while a rewind is under way takes another number than the rewind.
func TestDiscardedWorkAndARewindUnderWay(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", "e.txt": "e\n"})).Hooked()
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n"); w.Write("e.txt", "the agent's\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.Git("checkout", "HEAD", "--", "e.txt")
	e, plan := w.Plan(w.Points()[1].ID)
	if _, err := rewind.PrepareRewind(w.Ctx, e, plan, plan.Present); err != nil { // killed before it changed a file
		t.Fatal(err)
	}
	w.GitCommit("-a", "-m", "all")
	if _, err := rewind.Recover(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	log := w.Log()
	if len(log) != 2 || log[0].Seq == log[1].Seq || log[0].Gone || log[1].Gone {
		t.Fatalf("log: %+v", log)
	}
	w.Fsck()
}

func TestCommittedWorkIsNotKept(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n"})).Hooked()
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n"); w.Write("b.txt", "b\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.Write("a.txt", "two, by hand\n")
	w.Git("add", "a.txt")
	w.GitCommit("-m", "a")
	w.Git("add", "b.txt")
	w.GitCommit("-m", "b")
	if log := w.Log(); len(log) > 0 {
		t.Errorf("log: %+v", log)
	}
	w.NothingLeft()
}

func TestRewindsAreKeptUntilCommittedAndOld(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.Rewind(w.Points()[1].ID)
	pins := func() (n int) {
		plan, err := maintain.PlanCleanup(w.Ctx, w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range plan.Orphans {
			if o.Kind == handoff.OrphanUndo {
				n++
			}
		}
		return n
	}
	w.Now = w.Now.Add(40 * 24 * time.Hour)
	if pins() != 0 {
		t.Error("a rewind over work that is not committed is left over")
	}
	w.Now = w.Now.Add(-40 * 24 * time.Hour)
	w.CommitHooked("work", "-a")
	if pins() != 0 {
		t.Error("a young rewind is left over")
	}
	w.Now = w.Now.Add(40 * 24 * time.Hour)
	if pins() != 1 {
		t.Errorf("%d are left over", pins())
	}
	e := w.Engine()
	plan, err := maintain.PlanCleanup(w.Ctx, e)
	if err != nil {
		t.Fatal(err)
	}
	if _, failed := maintain.Cleanup(w.Ctx, e, plan); len(failed) > 0 {
		t.Errorf("not deleted: %v", failed)
	}
	if log := w.Log(); len(log) != 1 || !log[0].Gone {
		t.Errorf("log: %+v", log)
	}
}
