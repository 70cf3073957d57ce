package strategy

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"entire/checkpoint"
	"entire/internal/git"
)

// What git's status does not list after a rewind, the disk having given it an error,
// is in the rewind's step all the same: files that differed before, and files that
// the rewind has written or removed. What is ignored, or as HEAD has it, is not.
func TestStepOfARewindHasWhatGitPassedOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	e := w.engine()
	blob := func(text string) git.OID {
		oid, err := e.repo.Writer().Blob([]byte(text))
		ok(t, err)
		return oid
	}
	w.Write("untracked/u.txt", "u\n")
	w.Write("a.txt", "edited\n")
	now, err := e.now(w.ctx)
	ok(t, err)
	safety, err := e.writeStep(w.ctx, newStep{step: checkpoint.Step{Kind: checkpoint.StepHuman, Base: now.head}, author: e.repo.Identity(w.ctx), base: now.head, snap: now})
	ok(t, err)
	w.Write("made/m.txt", "made\n")
	w.Write("out.o", "made\n")
	w.Write(".git/info/exclude", "*.o\n")
	ok(t, os.Remove(filepath.Join(w.Dir, "b.txt")))
	j := &journal{Safety: safety.commit, Changes: []planned{{Path: "made/m.txt", NewMode: git.ModeFile, New: blob("made\n")}, {Path: "b.txt"},
		{Path: "out.o", NewMode: git.ModeFile, New: blob("made\n")}}}
	snap := &snapshot{head: now.head, stats: map[string]cachedStat{}, linked: map[string]bool{".": false}}
	ok(t, e.lookAgain(w.ctx, snap, j))
	want := sortStates([]fileState{{"a.txt", git.ModeFile, blob("edited\n")}, {"b.txt", 0, git.OID{}}, {"made/m.txt", git.ModeFile, blob("made\n")}, {"untracked/u.txt", git.ModeFile, blob("u\n")}})
	if !snap.files.equal(want) {
		t.Errorf("the step has %v, want %v", snap.files, want)
	}
	was := slices.Clone(snap.files)
	ok(t, e.lookAgain(w.ctx, snap, j))
	if !snap.files.equal(was) {
		t.Errorf("looked at once more, the step has %v", snap.files)
	}
}
