package rewind_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/internal/enginetest"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// What git's status does not list after a rewind, the disk having given it an error,
// is in the rewind's step all the same: files that differed before, and files that
// the rewind has written or removed. What is ignored, or as HEAD has it, is not.
func TestStepOfARewindHasWhatGitPassedOver(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	e := w.Engine()
	blob := func(text string) git.OID {
		oid, err := e.Repo.Writer().Blob([]byte(text))
		enginetest.Ok(t, err)
		return oid
	}
	w.Write("untracked/u.txt", "u\n")
	w.Write("a.txt", "edited\n")
	now, err := rewind.SnapshotNow(w.Ctx, e)
	enginetest.Ok(t, err)
	safety, err := step.WriteStep(w.Ctx, e, step.NewStep{Step: shadow.Step{Kind: shadow.StepHuman}, Author: e.Repo.Identity(w.Ctx), Snap: now})
	enginetest.Ok(t, err)
	w.Write("made/m.txt", "made\n")
	w.Write("out.o", "made\n")
	w.Write(".git/info/exclude", "*.o\n")
	enginetest.Ok(t, os.Remove(filepath.Join(w.Dir, "b.txt")))
	j := &restore.RewindJournal{Safety: safety.Commit, Changes: []restore.JournalChange{{Path: "made/m.txt", NewMode: git.ModeFile, New: blob("made\n")}, {Path: "b.txt"},
		{Path: "out.o", NewMode: git.ModeFile, New: blob("made\n")}}}
	snap := &worktree.Snapshot{Head: now.Head, Stats: map[string]sessionstate.CachedStat{}, Symlinked: map[string]bool{".": false}}
	enginetest.Ok(t, rewind.RecheckStatus(w.Ctx, e, snap, j))
	want := worktree.SortVersions([]sessionstate.PathVersion{{Path: "a.txt", Mode: git.ModeFile, OID: blob("edited\n")}, {Path: "b.txt", Mode: 0, OID: git.OID{}}, {Path: "made/m.txt", Mode: git.ModeFile, OID: blob("made\n")}, {Path: "untracked/u.txt", Mode: git.ModeFile, OID: blob("u\n")}})
	if !worktree.Equal(snap.Files, want) {
		t.Errorf("the step has %v, want %v", snap.Files, want)
	}
	was := slices.Clone(snap.Files)
	enginetest.Ok(t, rewind.RecheckStatus(w.Ctx, e, snap, j))
	if !worktree.Equal(snap.Files, was) {
		t.Errorf("looked at once more, the step has %v", snap.Files)
	}
}
