package condense_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/engine"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/step"
)

func TestAmendWithNewWorkKeepsTheOldWork(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "write a", func() { w.Write("a.txt", "agent wrote a\n") })
	w.Git("add", "-A")
	cp := w.CommitHooked("work")
	w.Turn("s1", "write b", func() { w.Write("b.txt", "agent wrote b\n") })
	w.Git("add", "-A")
	w.Git("commit", "-q", "--amend", "--no-edit")
	if err := engine.PostCommit(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	var meta struct {
		Files []string `json:"files_touched"`
		Steps int      `json:"checkpoints_count"`
		Start int      `json:"checkpoint_transcript_start"`
	}
	if err := json.Unmarshal([]byte(w.Metadata(cp, "0/metadata.json")), &meta); err != nil {
		t.Fatal(err)
	}
	if strings.Join(meta.Files, " ") != "a.txt b.txt" || meta.Steps != 2 || meta.Start != 0 {
		t.Errorf("checkpoint after the amend: %+v", meta)
	}
	if got := w.Metadata(cp, "0/prompt.txt"); !strings.Contains(got, "write a") || !strings.Contains(got, "write b") {
		t.Errorf("prompts: %q", got)
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

// TestCommitWithoutHooksIsRecorded: the session's next event links a commit that took its work without hooks, and
// status names it.
func TestCommitWithoutHooksIsRecorded(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Git("add", "-A")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "behind our back")
	w.Prompt("s1", "next")
	w.Stop("s1")
	rep, err := maintain.Status(w.Ctx, w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Unnamed) != 1 || rep.Unnamed[0].Commit != w.Head() {
		t.Errorf("linked without a trailer: %+v, problems: %+v", rep.Unnamed, rep.Problems)
	}
	if got := w.State("s1").FilesTouched; len(got) != 0 {
		t.Errorf("still pending: %v", got)
	}
}

func TestRewindPutsAFolderBackInPlaceOfALink(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	outside := t.TempDir()
	if err := os.WriteFile(outside+"/f.txt", []byte("not ours\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.Turn("s1", "write", func() { w.Write("dir/f.txt", "agent\n") })
	want := w.Snapshot(".git").Contents()
	w.Remove("dir")
	w.Symlink(outside, "dir")
	out := w.Rewind(w.Points()[0].ID)
	if len(out.Kept) != 0 {
		t.Errorf("kept: %+v", out.Kept)
	}
	enginetest.SameFiles(t, w, want)
	if got := enginetest.ReadFile(t, outside+"/f.txt"); got != "not ours\n" {
		t.Errorf("the file outside holds %q", got)
	}
}

func TestResetToSavesThePresent(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Git("add", "-A")
	w.CommitHooked("work")
	first := w.Head()
	w.Turn("s1", "more", func() { w.Write("a.txt", "agent again\n") })
	w.Git("add", "-A")
	w.CommitHooked("more work")
	w.Write("a.txt", "a person's, in no commit\n")
	e := w.Engine()
	p, err := step.FindPoint(w.Ctx, e, first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := maintain.ResetTo(w.Ctx, e, p); err != nil {
		t.Fatal(err)
	}
	if w.Head() != first || w.Read("a.txt") != "agent\n" {
		t.Errorf("HEAD %s, a.txt %q", w.Head(), w.Read("a.txt"))
	}
	refs := w.Git("for-each-ref", "--format=%(refname)", "refs/entire/undo/")
	if refs == "" {
		t.Fatal("the present was not saved")
	}
	out, err := exec.Command("git", "-C", w.Dir, "show", refs+":a.txt").Output()
	if err != nil || string(out) != "a person's, in no commit\n" {
		t.Errorf("saved: %q, %v", out, err)
	}
}

func TestStepsSetAsideCanBeGoneBackTo(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	point := w.Points()[0].ID
	ref := w.Shadows()[0]
	w.Git("update-ref", "refs/entire/orphans/kept", point)
	w.Git("update-ref", "-d", ref)
	w.Write("a.txt", "changed since\n")
	w.Rewind(point[:7])
	if got := w.Read("a.txt"); got != "agent\n" {
		t.Errorf("a.txt: %q", got)
	}
	if _, err := step.FindPoint(w.Ctx, w.Engine(), w.Head()); err == nil {
		t.Error("an ordinary commit was taken for a step")
	}
}
