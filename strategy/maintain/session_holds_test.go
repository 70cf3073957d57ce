package maintain_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire/internal/testrepo"
	"entire/session"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
)

// TestHolds: a session is held while it is at work and as long as steps of it are in no
// commit, also once its state is gone; a rewind that is not finished holds all.
func TestHolds(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	why := func(sid string) string {
		t.Helper()
		h, err := maintain.FindHolds(w.Ctx, w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		return h.Why(sid)
	}
	if got := why("s1"); got != "" {
		t.Errorf("unknown: %q", got)
	}
	w.Prompt("s1", "Count on")
	if got := why("s1"); got != "it is in the middle of a turn" {
		t.Errorf("in a turn: %q", got)
	}
	w.Write("a.txt", "one\ntwo\n")
	w.Stop("s1")
	w.Now = w.Now.Add(100 * time.Hour)
	if got := why("s1"); got != "it has work that is in no commit" {
		t.Errorf("with work: %q", got)
	}
	if got := why("s2"); got != "" {
		t.Errorf("another: %q", got)
	}
	state := filepath.Join(w.GitPath("."), "entire-sessions", "s1.json")
	kept, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	if got := why("s1"); got != "it has steps that are in no commit" {
		t.Errorf("with steps and no state: %q", got)
	}
	aside := w.Shadows()[0]
	w.Git("update-ref", "refs/entire/orphans/x", aside)
	w.Git("update-ref", "-d", aside)
	if got := why("s1"); got != "it has steps that are in no commit" {
		t.Errorf("with steps set aside: %q", got)
	}
	w.Git("update-ref", "-d", "refs/entire/orphans/x")
	if got := why("s1"); got != "" {
		t.Errorf("without steps: %q", got)
	}
	journal := filepath.Join(w.GitPath("."), "entire", "rewind.json")
	if err := os.WriteFile(journal, kept, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := why("s2"); got != "a rewind was interrupted here and is not finished" {
		t.Errorf("with a journal: %q", got)
	}
	if err := os.Remove(journal); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(state, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := why("s2"); got == "" {
		t.Error("a state that cannot be read holds nothing")
	}
}

// TestHoldsState: every state that speaks of something unfinished holds.
func TestHoldsState(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	old, lately := now.Add(-30*24*time.Hour), now.Add(-time.Hour)
	for name, row := range map[string]struct {
		st   session.State
		held bool
	}{
		"old and never ended":   {session.State{StartedAt: old}, false},
		"not ended, and lately": {session.State{StartedAt: old, LastInteractionTime: &lately}, true},
		"ended lately":          {session.State{StartedAt: old, EndedAt: &lately, Phase: session.PhaseEnded}, false},
		"in a turn, long ago":   {session.State{StartedAt: old, Phase: session.PhaseActive}, true},
		"files":                 {session.State{StartedAt: old, EndedAt: &lately, FilesTouched: []string{"a"}}, true},
		"steps":                 {session.State{StartedAt: old, EndedAt: &lately, CheckpointCount: 1}, true},
		"begun in the future":   {session.State{StartedAt: now.Add(time.Hour)}, true},
	} {
		if why := maintain.HoldsState(session.NewStateStore(t.TempDir()), &row.st, now); (why != "") != row.held {
			t.Errorf("%s: %q", name, why)
		}
	}
}
