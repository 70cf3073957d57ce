package strategy

import (
	"testing"
	"time"

	"entire/internal/testrepo"
)

func TestWorkThrownAwayIsKeptAndListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", "e.txt": "e\n"})).hooked()
	w.turn("s1", "first", func() { w.Write("e.txt", "the agent's\n") })
	point := w.points()[0].ID
	w.Git("checkout", "HEAD", "--", "e.txt")
	w.turn("s1", "second", func() { w.Write("a.txt", "agent\n") })
	if w.gitCommit("-a", "-m", "a only") == "" {
		t.Fatal("not linked")
	}
	w.Git("reflog", "expire", "--expire=now", "--all")
	w.Git("gc", "-q", "--prune=now")
	log := w.log()
	if len(log) != 1 || log[0].Kind != RewindDropped || log[0].Files != 1 || log[0].Gone {
		t.Fatalf("log: %+v", log)
	}
	if p, err := w.engine().FindPoint(w.ctx, point); err != nil || p.ID != point {
		t.Errorf("the step: %v", err)
	}
	w.back(undoing, log[0].ID)
	if w.Read("e.txt") != "the agent's\n" || w.Read("a.txt") != "agent\n" {
		t.Errorf("e.txt %q, a.txt %q", w.Read("e.txt"), w.Read("a.txt"))
	}
	w.Fsck()
}

func TestCommittedWorkIsNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n"})).hooked()
	w.turn("s1", "first", func() { w.Write("a.txt", "one\n"); w.Write("b.txt", "b\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.Write("a.txt", "two, by hand\n")
	w.Git("add", "a.txt")
	w.gitCommit("-m", "a")
	w.Git("add", "b.txt")
	w.gitCommit("-m", "b")
	if log := w.log(); len(log) > 0 {
		t.Errorf("log: %+v", log)
	}
	w.nothingLeft()
}

func TestRewindsAreKeptUntilCommittedAndOld(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n"}))
	w.turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.rewind(w.points()[1].ID)
	pins := func() (n int) {
		plan, err := w.engine().PlanCleanup(w.ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range plan.Orphans {
			if o.Kind == OrphanUndo {
				n++
			}
		}
		return n
	}
	w.now = w.now.Add(40 * 24 * time.Hour)
	if pins() != 0 {
		t.Error("a rewind over work that is not committed is left over")
	}
	w.now = w.now.Add(-40 * 24 * time.Hour)
	w.commit("work", "-a")
	if pins() != 0 {
		t.Error("a young rewind is left over")
	}
	w.now = w.now.Add(40 * 24 * time.Hour)
	if pins() != 1 {
		t.Errorf("%d are left over", pins())
	}
	e := w.engine()
	plan, err := e.PlanCleanup(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, failed := e.Cleanup(w.ctx, plan); len(failed) > 0 {
		t.Errorf("not deleted: %v", failed)
	}
	if log := w.log(); len(log) != 1 || !log[0].Gone {
		t.Errorf("log: %+v", log)
	}
}
