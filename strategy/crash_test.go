package strategy

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"entire/agent"
	"entire/internal/testrepo"
)

// commitKilled makes a commit whose post-commit never ran.
func (w *world) commitKilled(msg string) string {
	w.t.Helper()
	file := w.GitPath("COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(msg+"\n"), 0o644); err != nil {
		w.t.Fatal(err)
	}
	if err := w.engine().PrepareCommitMsg(w.ctx, file, "message"); err != nil {
		w.t.Fatal(err)
	}
	w.Git("commit", "-q", "--no-verify", "-F", file)
	return w.Git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)")
}

func TestKilledPostCommitIsMadeUpFor(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*world){
		"by the next prompt": func(w *world) { w.prompt("s1", "next") },
		"by another session": func(w *world) { w.prompt("s2", "hello") },
		"by the next commit": func(w *world) { w.Write("z", "z\n"); w.Git("add", "z"); w.commit("other") },
		"by session end":     func(w *world) { w.event(agent.SessionEnd, "s1", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.turn("s1", "write", func() { w.Write("a.txt", "agent\n"); w.Write("b.txt", "rest\n") })
			w.Git("add", "a.txt")
			cp := w.commitKilled("work")
			next(w)
			if got := w.metadata(cp, "0/metadata.json"); !strings.Contains(got, "a.txt") {
				t.Errorf("checkpoint: %s", got)
			}
			w.Git("add", "b.txt")
			if second := w.commit("the rest"); second == "" || second == cp {
				t.Errorf("the rest was not linked: %q", second)
			}
			w.Fsck()
		})
	}
}

// TestKilledBeforeStateWasSaved repeats post-commit with the states of before.
func TestKilledBeforeStateWasSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n"); w.Write("b.txt", "rest\n") })
	w.Git("add", "a.txt")
	cp := w.commitKilled("work")
	prep := readFile(t, w.engine().preparedPath())
	before := w.state("s1")
	e := w.engine()
	if err := e.PostCommit(w.ctx); err != nil {
		t.Fatal(err)
	}
	if err := e.store.Save(w.ctx, before); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.preparedPath(), []byte(prep), 0o600); err != nil {
		t.Fatal(err)
	}
	w.prompt("s1", "go on")
	w.stop("s1")
	var meta struct {
		Files []string `json:"files_touched"`
		Steps int      `json:"checkpoints_count"`
	}
	if err := json.Unmarshal([]byte(w.metadata(cp, "0/metadata.json")), &meta); err != nil {
		t.Fatal(err)
	}
	if strings.Join(meta.Files, " ") != "a.txt" || meta.Steps != 1 {
		t.Errorf("checkpoint after the repetition: %+v", meta)
	}
	if got := w.state("s1").FilesTouched; strings.Join(got, " ") != "b.txt" {
		t.Errorf("still to be committed: %v", got)
	}
	w.Git("add", "-A")
	if second := w.commit("rest"); second == "" {
		t.Error("the rest was not linked")
	}
	if got := w.shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

// TestKilledStopIsLinkedAllTheSame has a step that no state tells of.
func TestKilledStopIsLinkedAllTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tty = true
	w.prompt("s1", "write")
	before := w.state("s1")
	side := readFile(t, w.GitPath("entire/sessions/s1/engine.json"))
	w.Write("a.txt", "agent\n")
	w.stop("s1")
	if err := w.engine().store.Save(w.ctx, before); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.GitPath("entire/sessions/s1/engine.json"), []byte(side), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Git("add", "-A")
	if cp := w.commit("work"); cp == "" {
		t.Error("not linked")
	}
}

func TestKilledRewindIsFinished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("b.txt", "b\n") })
	want := w.Snapshot(".git").Contents()
	w.turn("s1", "second", func() { w.Write("a.txt", "second\n"); w.Remove("b.txt"); w.Write("c.txt", "c\n") })
	e := w.engine()
	p, err := e.FindPoint(w.ctx, w.points()[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := e.PlanRewind(w.ctx, p, Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.openRewind(w.ctx, plan, plan.now); err != nil {
		t.Fatal(err)
	}
	w.Write("a.txt", "first\n") // one of the files was in place when it was killed
	lines, err := w.engine().Recover(w.ctx)
	if err != nil || len(lines) != 1 {
		t.Fatalf("recover: %v, %v", lines, err)
	}
	sameFiles(t, w, want)
	if lines, err := w.engine().Recover(w.ctx); err != nil || len(lines) != 0 {
		t.Errorf("recovering twice: %v, %v", lines, err)
	}
	if exists(e.stageRoot()) {
		t.Error("the staging folder is left")
	}
	if got := w.points(); len(got) != 2 {
		t.Errorf("points: %+v", got)
	}
	w.Fsck()
}
