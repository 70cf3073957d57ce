package maintain_test

import (
	"strings"
	"testing"
	"time"

	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/testrepo"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/sessionstate"
)

func TestPruneTurnsDropsDaysThatAreOver(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.TurnTaken("s1", "first")
	w.Later(20 * 24 * time.Hour)
	w.TurnTaken("s1", "second")
	days := w.TurnDays()
	if len(days) != 2 {
		t.Fatalf("days %v", days)
	}
	w.Git("update-ref", "refs/entire/turns/theirs/2020-01-01", "HEAD") // of a name that is none of ours
	if err := maintain.PruneTurns(w.Ctx, w.Engine()); err != nil || len(w.TurnDays()) != 3 {
		t.Errorf("too early: %v, %v", w.TurnDays(), err)
	}
	w.Later(12 * 24 * time.Hour)
	w.WantOrphans("turns " + days[0])
	if err := maintain.PruneTurns(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	if got := w.TurnDays(); len(got) != 2 || got[0] != days[1] {
		t.Errorf("days %v, want %v and the foreign one", got, days[1:])
	}
	w.WantPoints("taken second")
	w.Later(31 * 24 * time.Hour)
	if deleted, failed := w.Cleaned(); len(deleted) != 1 || len(failed) > 0 {
		t.Errorf("cleaned %v, %v", deleted, failed)
	}
	w.Fsck()
}

// TestPruneTurnsKeepsToItsSize: the oldest days go first, then the older half of the
// last one.
func TestPruneTurnsKeepsToItsSize(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.TurnTaken("s1", "first")
	w.Later(24 * time.Hour)
	for _, text := range []string{"second", "third", "fourth"} {
		w.TurnTaken("s1", text)
	}
	prune := func(limit int64) {
		t.Helper()
		e := w.Engine()
		e.TurnsLimit = limit
		if err := maintain.PruneTurns(w.Ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	prune(1 << 30)
	w.WantPoints("taken fourth", "taken third", "taken second", "taken first")
	e := w.Engine()
	days, err := maintain.AllKeptTurnRefs(w.Ctx, e)
	if err != nil || len(days) != 2 {
		t.Fatalf("%v, %v", days, err)
	}
	used, err := maintain.TurnsSize(w.Ctx, e, days)
	if err != nil || used <= 0 {
		t.Fatalf("%d bytes, %v", used, err)
	}
	prune(used - 1)
	w.WantPoints("taken fourth", "taken third", "taken second")
	last, err := maintain.TurnsSize(w.Ctx, e, days[1:])
	if err != nil {
		t.Fatal(err)
	}
	prune(last - 1)
	w.WantPoints("taken fourth")
	prune(1)
	w.WantPoints()
	if got := w.TurnDays(); len(got) > 0 {
		t.Errorf("days %v", got)
	}
	w.Fsck()
}

// TestForgettingTakesKeptTurnsAlong: nothing reaches the conversation any more, and
// what other sessions did stays.
func TestForgettingTakesKeptTurnsAlong(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.TurnTaken("s2", "other")
	cp := w.TurnTaken("s1", "harmless")
	w.TurnTaken("s2", "another")
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
	if _, _, err := maintain.Forget(w.Ctx, w.Engine(), []id.CheckpointID{gone}, "a secret", nil); err != nil {
		t.Fatal(err)
	}
	if reached() {
		t.Errorf("the conversation is still there: %v", w.Git("for-each-ref"))
	}
	w.WantPoints("taken another", "taken other")
	w.Git("gc", "-q", "--prune=now")
	w.Fsck()
}

// TestTombstonesOfOthersTakeKeptTurnsAlong: a clone forgets what was forgotten
// elsewhere, and doctor finds what was left.
func TestTombstonesOfOthersTakeKeptTurnsAlong(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.TurnTaken("s2", "other")
	cp := w.TurnTaken("s1", "harmless")
	gone, err := id.NewCheckpointID(cp)
	if err != nil {
		t.Fatal(err)
	}
	e := w.Engine()
	if _, _, err := tombstone.Forget(w.Ctx, e.Repo, tombstone.Forgetting{IDs: []id.CheckpointID{gone}, When: w.Now, Author: e.Repo.Identity(w.Ctx)}); err != nil {
		t.Fatal(err)
	}
	found, err := maintain.ExamineForgotten(w.Ctx, w.Engine())
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Subject, "refs/entire/turns/") {
		t.Fatalf("found %+v, %v", found, err)
	}
	if _, err := found[0].Mend(w.Ctx); err != nil {
		t.Fatal(err)
	}
	w.WantPoints("taken other")
	if found, err := maintain.ExamineForgotten(w.Ctx, w.Engine()); err != nil || len(found) > 0 {
		t.Errorf("found again %+v, %v", found, err)
	}
}

func TestNoTurnsAreKeptWhereThatIsSaid(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.Tune = func(o *sessionstate.Options) { o.KeepTurns = -1 }
	w.TurnTaken("s1", "first")
	if got := w.TurnDays(); len(got) > 0 {
		t.Errorf("days %v", got)
	}
	w.WantPoints()
}

// TestADayThatIsBrokenHidesNoOther: its objects are gone.
func TestADayThatIsBrokenHidesNoOther(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.TurnTaken("s1", "first")
	w.Later(24 * time.Hour)
	w.TurnTaken("s1", "second")
	tip := w.Git("rev-parse", w.TurnDays()[1])
	w.Remove(".git/objects/" + tip[:2] + "/" + tip[2:])
	w.WantPoints("taken first")
}
