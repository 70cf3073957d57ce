package strategy

import (
	"strings"
	"testing"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/testrepo"
)

func (w *world) turnDays() []string {
	w.t.Helper()
	return strings.Fields(w.Git("for-each-ref", "--format=%(refname)", "refs/entire/turns/"))
}

// turnTaken is a turn and the commit that takes it.
func (w *world) turnTaken(sid, text string) (cp string) {
	w.t.Helper()
	w.turn(sid, text, func() { w.Write(text+".txt", strings.Repeat(text+"\n", 100)) })
	w.Git("add", "-A")
	return w.commit(text)
}

func TestPruneTurnsDropsDaysThatAreOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.turnTaken("s1", "first")
	w.later(20 * 24 * time.Hour)
	w.turnTaken("s1", "second")
	days := w.turnDays()
	if len(days) != 2 {
		t.Fatalf("days %v", days)
	}
	w.Git("update-ref", "refs/entire/turns/theirs/2020-01-01", "HEAD") // of a name that is none of ours
	if err := w.engine().PruneTurns(w.ctx); err != nil || len(w.turnDays()) != 3 {
		t.Errorf("too early: %v, %v", w.turnDays(), err)
	}
	w.later(12 * 24 * time.Hour)
	w.wantOrphans("turns " + days[0])
	if err := w.engine().PruneTurns(w.ctx); err != nil {
		t.Fatal(err)
	}
	if got := w.turnDays(); len(got) != 2 || got[0] != days[1] {
		t.Errorf("days %v, want %v and the foreign one", got, days[1:])
	}
	w.wantPoints("taken second")
	w.later(31 * 24 * time.Hour)
	if deleted, failed := w.cleaned(); len(deleted) != 1 || len(failed) > 0 {
		t.Errorf("cleaned %v, %v", deleted, failed)
	}
	w.Fsck()
}

// TestPruneTurnsKeepsToItsSize: the oldest days go first, then the older half of the
// last one.
func TestPruneTurnsKeepsToItsSize(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.turnTaken("s1", "first")
	w.later(24 * time.Hour)
	for _, text := range []string{"second", "third", "fourth"} {
		w.turnTaken("s1", text)
	}
	prune := func(limit int64) {
		t.Helper()
		e := w.engine()
		e.TurnsLimit = limit
		if err := e.PruneTurns(w.ctx); err != nil {
			t.Fatal(err)
		}
	}
	prune(1 << 30)
	w.wantPoints("taken fourth", "taken third", "taken second", "taken first")
	e := w.engine()
	days, err := e.allTurnDays(w.ctx)
	if err != nil || len(days) != 2 {
		t.Fatalf("%v, %v", days, err)
	}
	used, err := e.turnsSize(w.ctx, days)
	if err != nil || used <= 0 {
		t.Fatalf("%d bytes, %v", used, err)
	}
	prune(used - 1)
	w.wantPoints("taken fourth", "taken third", "taken second")
	last, err := e.turnsSize(w.ctx, days[1:])
	if err != nil {
		t.Fatal(err)
	}
	prune(last - 1)
	w.wantPoints("taken fourth")
	prune(1)
	w.wantPoints()
	if got := w.turnDays(); len(got) > 0 {
		t.Errorf("days %v", got)
	}
	w.Fsck()
}

// TestForgettingTakesKeptTurnsAlong: nothing reaches the conversation any more, and
// what other sessions did stays.
func TestForgettingTakesKeptTurnsAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.turnTaken("s2", "other")
	cp := w.turnTaken("s1", "harmless")
	w.turnTaken("s2", "another")
	stored := w.Git("rev-parse", "entire/checkpoints/v1:"+cp[:2]+"/"+cp[2:]+"/0/full.jsonl")
	reached := func() bool {
		return strings.Contains(w.Git("rev-list", "--objects", "--all"), stored)
	}
	if !reached() {
		t.Fatal("the conversation was not stored")
	}
	gone, err := id.NewCheckpointID(cp)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.engine().Forget(w.ctx, []id.CheckpointID{gone}, "a secret", nil); err != nil {
		t.Fatal(err)
	}
	if reached() {
		t.Errorf("the conversation is still there: %v", w.Git("for-each-ref"))
	}
	w.wantPoints("taken another", "taken other")
	w.Git("gc", "-q", "--prune=now")
	w.Fsck()
}

// TestTombstonesOfOthersTakeKeptTurnsAlong: a clone forgets what was forgotten
// elsewhere, and doctor finds what was left.
func TestTombstonesOfOthersTakeKeptTurnsAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.turnTaken("s2", "other")
	cp := w.turnTaken("s1", "harmless")
	gone, err := id.NewCheckpointID(cp)
	if err != nil {
		t.Fatal(err)
	}
	e := w.engine()
	if _, _, err := checkpoint.Forget(w.ctx, e.repo, checkpoint.Forgetting{IDs: []id.CheckpointID{gone}, When: w.now, Author: e.repo.Identity(w.ctx)}); err != nil {
		t.Fatal(err)
	}
	found, err := w.engine().examineForgotten(w.ctx)
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Subject, "refs/entire/turns/") {
		t.Fatalf("found %+v, %v", found, err)
	}
	if _, err := found[0].Mend(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.wantPoints("taken other")
	if found, err := w.engine().examineForgotten(w.ctx); err != nil || len(found) > 0 {
		t.Errorf("found again %+v, %v", found, err)
	}
}

func TestNoTurnsAreKeptWhereThatIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.tune = func(o *Options) { o.KeepTurns = -1 }
	w.turnTaken("s1", "first")
	if got := w.turnDays(); len(got) > 0 {
		t.Errorf("days %v", got)
	}
	w.wantPoints()
}

// TestADayThatIsBrokenHidesNoOther: its objects are gone.
func TestADayThatIsBrokenHidesNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.turnTaken("s1", "first")
	w.later(24 * time.Hour)
	w.turnTaken("s1", "second")
	tip := w.Git("rev-parse", w.turnDays()[1])
	w.Remove(".git/objects/" + tip[:2] + "/" + tip[2:])
	w.wantPoints("taken first")
}
