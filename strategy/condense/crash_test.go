package condense_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"entire/agent"
	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/engine"
	"entire/strategy/githead"
	"entire/strategy/internal/enginetest"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

func TestKilledPostCommitIsMadeUpFor(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*enginetest.World){
		"by the next prompt": func(w *enginetest.World) { w.Prompt("s1", "next") },
		"by another session": func(w *enginetest.World) { w.Prompt("s2", "hello") },
		"by the next commit": func(w *enginetest.World) { w.Write("z", "z\n"); w.Git("add", "z"); w.CommitHooked("other") },
		"by session end":     func(w *enginetest.World) { w.Event(agent.SessionEnd, "s1", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t)
			w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n"); w.Write("b.txt", "rest\n") })
			w.Git("add", "a.txt")
			cp := w.CommitKilled("work")
			next(w)
			if got := w.Metadata(cp, "0/metadata.json"); !strings.Contains(got, "a.txt") {
				t.Errorf("checkpoint: %s", got)
			}
			w.Git("add", "b.txt")
			if second := w.CommitHooked("the rest"); second == "" || second == cp {
				t.Errorf("the rest was not linked: %q", second)
			}
			w.Fsck()
		})
	}
}

// TestKilledBeforeStateWasSaved repeats post-commit with the states of before.
func TestKilledBeforeStateWasSaved(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n"); w.Write("b.txt", "rest\n") })
	w.Git("add", "a.txt")
	cp := w.CommitKilled("work")
	prep := enginetest.ReadFile(t, githead.ChoicesPath(w.Engine()))
	before := w.State("s1")
	e := w.Engine()
	if err := engine.PostCommit(w.Ctx, e); err != nil {
		t.Fatal(err)
	}
	if err := e.Store.Save(w.Ctx, before); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(githead.ChoicesPath(e), []byte(prep), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Prompt("s1", "go on")
	w.Stop("s1")
	var meta struct {
		Files []string `json:"files_touched"`
		Steps int      `json:"checkpoints_count"`
	}
	if err := json.Unmarshal([]byte(w.Metadata(cp, "0/metadata.json")), &meta); err != nil {
		t.Fatal(err)
	}
	if strings.Join(meta.Files, " ") != "a.txt" || meta.Steps != 1 {
		t.Errorf("checkpoint after the repetition: %+v", meta)
	}
	if got := w.State("s1").FilesTouched; strings.Join(got, " ") != "b.txt" {
		t.Errorf("still to be committed: %v", got)
	}
	w.Git("add", "-A")
	if second := w.CommitHooked("rest"); second == "" {
		t.Error("the rest was not linked")
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

// TestKilledStopIsLinkedAllTheSame has a step that no state tells of.
func TestKilledStopIsLinkedAllTheSame(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Tty = true
	w.Prompt("s1", "write")
	before := w.State("s1")
	side := enginetest.ReadFile(t, w.GitPath("entire/sessions/s1/engine.json"))
	w.Write("a.txt", "agent\n")
	w.Stop("s1")
	if err := w.Engine().Store.Save(w.Ctx, before); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.GitPath("entire/sessions/s1/engine.json"), []byte(side), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Git("add", "-A")
	if cp := w.CommitHooked("work"); cp == "" {
		t.Error("not linked")
	}
}

func TestKilledRewindIsFinished(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("b.txt", "b\n") })
	want := w.Snapshot(".git").Contents()
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\n"); w.Remove("b.txt"); w.Write("c.txt", "c\n") })
	e := w.Engine()
	p, err := step.FindPoint(w.Ctx, e, w.Points()[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := rewind.PlanRewind(w.Ctx, e, p, condense.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.PrepareRewind(w.Ctx, e, plan, plan.Present); err != nil {
		t.Fatal(err)
	}
	w.Write("a.txt", "first\n") // one of the files was in place when it was killed
	lines, err := rewind.Recover(w.Ctx, w.Engine())
	if err != nil || len(lines) != 1 {
		t.Fatalf("recover: %v, %v", lines, err)
	}
	enginetest.SameFiles(t, w, want)
	if lines, err := rewind.Recover(w.Ctx, w.Engine()); err != nil || len(lines) != 0 {
		t.Errorf("recovering twice: %v, %v", lines, err)
	}
	if sessionstate.PathExists(restore.StageRoot(e)) {
		t.Error("the staging folder is left")
	}
	if got := w.Points(); len(got) != 2 {
		t.Errorf("points: %+v", got)
	}
	w.Fsck()
}
