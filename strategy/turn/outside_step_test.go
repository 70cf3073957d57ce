package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/checkpoint/shadow"
	"entire/internal/testrepo"
	"entire/strategy/internal/enginetest"
	"entire/strategy/turn"
)

// TestSaveOutside: what changes between turns becomes a point of its own kind, is a person's, and comes back.
func TestSaveOutside(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	save := func() turn.Outside {
		t.Helper()
		out, err := turn.SaveOutside(w.Ctx, w.Engine())
		w.Must(err)
		return out
	}
	if out := save(); out.New || !out.Step.IsZero() || len(w.Shadows()) != 0 {
		t.Fatalf("nothing has changed: %+v, %v", out, w.Shadows())
	}
	w.Write("a.txt", "one\nperson\n")
	first := save()
	if !first.New || first.Files != 1 || first.Bytes != 11 {
		t.Fatalf("a change: %+v", first)
	}
	if again := save(); again.New || again.Step != first.Step {
		t.Errorf("the same again: %+v", again)
	}
	w.Prompt("s1", "Write two")
	w.Write("a.txt", "one\nperson\nagent\n")
	if out := save(); out.New || out.Busy != "a turn is running" {
		t.Errorf("during a turn: %+v", out)
	}
	w.Stop("s1")
	if out := save(); out.New {
		t.Errorf("the turn's end has it: %+v", out)
	}
	w.Write("a.txt", "one\nperson\nagent\nperson again\n")
	second := save()
	points := w.Points()
	if len(points) != 3 || points[0].ID != second.Step.String() || points[0].Why != shadow.WhyOutside || points[1].Why != shadow.WhyTurnEnd || points[2].ID != first.Step.String() {
		t.Fatalf("points %+v", points)
	}
	w.Rewind(first.Step.String())
	if got := w.Read("a.txt"); got != "one\nperson\n" {
		t.Errorf("came back as %q", got)
	}
	w.Rewind(second.Step.String())
	w.Git("add", "-A")
	cp := w.CommitHooked("all")
	if got := w.Owners(cp, "a.txt"); strings.Count(got, "s1") != 1 {
		t.Errorf("one line is the agent's: %s", got)
	}
}

// TestSaveOutsideWaits: while git changes the worktree nothing is saved, and a turn whose end nobody
// reported does not stop it for ever.
func TestSaveOutsideWaits(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Write("new.txt", "new\n")
	for name, want := range map[string]string{"index.lock": "git is changing the worktree", "MERGE_HEAD": "a merge is in progress", "rebase-merge": "a rebase is in progress"} {
		path := filepath.Join(w.Dir, ".git", name)
		w.Must(os.WriteFile(path, nil, 0o600))
		out, err := turn.SaveOutside(w.Ctx, w.Engine())
		if err != nil || out.Busy != want || len(w.Shadows()) != 0 {
			t.Errorf("with %s: %+v, %v", name, out, err)
		}
		w.Must(os.Remove(path))
	}
	w.Prompt("s1", "Never ends")
	w.Write("new.txt", "newer\n")
	w.Later(2 * time.Hour)
	w.Must(os.Chtimes(w.Transcript("s1"), w.Now, w.Now)) // its agent has been at work for long
	if out, err := turn.SaveOutside(w.Ctx, w.Engine()); err != nil || out.Busy != "a turn is running" {
		t.Errorf("during a long turn: %+v, %v", out, err)
	}
	w.Later(2 * time.Hour)
	if out, err := turn.SaveOutside(w.Ctx, w.Engine()); err != nil || !out.New {
		t.Errorf("two hours after the last sign: %+v, %v", out, err)
	}
}
