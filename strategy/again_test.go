package strategy

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

func TestAmendWithNewWorkKeepsTheOldWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn("s1", "write a", func() { w.Write("a.txt", "agent wrote a\n") })
	w.Git("add", "-A")
	cp := w.commit("work")
	w.turn("s1", "write b", func() { w.Write("b.txt", "agent wrote b\n") })
	w.Git("add", "-A")
	w.Git("commit", "-q", "--amend", "--no-edit")
	if err := w.engine().PostCommit(w.ctx); err != nil {
		t.Fatal(err)
	}
	var meta struct {
		Files []string `json:"files_touched"`
		Steps int      `json:"checkpoints_count"`
		Start int      `json:"checkpoint_transcript_start"`
	}
	if err := json.Unmarshal([]byte(w.metadata(cp, "0/metadata.json")), &meta); err != nil {
		t.Fatal(err)
	}
	if strings.Join(meta.Files, " ") != "a.txt b.txt" || meta.Steps != 2 || meta.Start != 0 {
		t.Errorf("checkpoint after the amend: %+v", meta)
	}
	if got := w.metadata(cp, "0/prompt.txt"); !strings.Contains(got, "write a") || !strings.Contains(got, "write b") {
		t.Errorf("prompts: %q", got)
	}
	if got := w.shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func TestCommitWithoutHooksIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Git("add", "-A")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "behind our back")
	w.prompt("s1", "next")
	w.stop("s1")
	rep, err := w.engine().Status(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, p := range rep.Problems {
		found = found || p.Kind == "not-linked" && p.Subject == w.Head()[:7]
	}
	if !found {
		t.Errorf("problems: %+v", rep.Problems)
	}
	if got := w.state("s1").FilesTouched; len(got) != 0 {
		t.Errorf("still pending: %v", got)
	}
}

func TestRewindPutsAFolderBackInPlaceOfALink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	outside := t.TempDir()
	if err := os.WriteFile(outside+"/f.txt", []byte("not ours\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.turn("s1", "write", func() { w.Write("dir/f.txt", "agent\n") })
	want := w.Snapshot(".git").Contents()
	w.Remove("dir")
	w.Symlink(outside, "dir")
	out := w.rewind(w.points()[0].ID)
	if len(out.Kept) != 0 {
		t.Errorf("kept: %+v", out.Kept)
	}
	sameFiles(t, w, want)
	if got := readFile(t, outside+"/f.txt"); got != "not ours\n" {
		t.Errorf("the file outside holds %q", got)
	}
}

func TestResetToSavesThePresent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Git("add", "-A")
	w.commit("work")
	first := w.Head()
	w.turn("s1", "more", func() { w.Write("a.txt", "agent again\n") })
	w.Git("add", "-A")
	w.commit("more work")
	w.Write("a.txt", "a person's, in no commit\n")
	e := w.engine()
	p, err := e.FindPoint(w.ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.ResetTo(w.ctx, p); err != nil {
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
	w := newWorld(t)
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	point := w.points()[0].ID
	ref := w.shadows()[0]
	w.Git("update-ref", "refs/entire/orphans/kept", point)
	w.Git("update-ref", "-d", ref)
	w.Write("a.txt", "changed since\n")
	w.rewind(point[:7])
	if got := w.Read("a.txt"); got != "agent\n" {
		t.Errorf("a.txt: %q", got)
	}
	if _, err := w.engine().FindPoint(w.ctx, w.Head()); err == nil {
		t.Error("an ordinary commit was taken for a step")
	}
}
