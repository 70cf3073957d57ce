package rewind_test

import (
	"errors"
	"strings"
	"testing"

	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/restore"
	"entire/strategy/rewind"
)

// Work in a stash is pending still when HEAD moves, also where a turn has ended
// meanwhile whose step has the file as in HEAD.
func TestStashedWorkIsPendingAfterAnAmend(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() {
		w.Write("new.txt", "of one\n")
		w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four", "of one", 1))
	})
	w.Git("stash", "push", "-q")
	w.Git("add", "-A")
	w.GitCommit("-m", "new")
	w.Prompt("s1", "more")
	w.Write("b.txt", "of one\n")
	w.Edits("s1", "b.txt")
	w.GitCommit("-a", "-m", "b")
	w.Stop("s1")
	w.GitCommit("--amend", "-m", "b again")
	w.Git("stash", "pop", "-q")
	if cp := w.GitCommit("-a", "-m", "a"); cp == "" {
		t.Error("what came out of the stash is not linked")
	}
	w.NothingLeft()
}

// What was staged of a session's work is its own when it is committed, also where
// the session has taken it back since; and so is taking it back.
func TestStagedWorkThatWasTakenBack(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]string{"by the session itself": "s1", "by another": "s2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Turn("s1", "write", func() { w.Write("new.txt", "of one\nof one, too\n") })
			w.Git("add", "new.txt")
			w.Turn(by, "no", func() { w.Remove("new.txt") })
			first := w.GitCommit("-m", "as staged")
			if first == "" {
				t.Fatal("what was staged is not linked")
			}
			if slots := w.Slots(first); len(slots) != 1 || slots["s1"] == nil {
				t.Errorf("the first: %v", slots)
			}
			second := w.GitCommit("-a", "-m", "gone")
			if second == "" {
				t.Fatal("its removal is not linked")
			}
			if slots := w.Slots(second); len(slots) != 1 || len(slots[by]) != 1 {
				t.Errorf("the second: %v", slots)
			}
			w.NothingLeft()
		})
	}
}

// A person throws away what a session did on top of a linked commit, and undoes
// that commit: made again, it is as it was.
func TestUndoneWorkThatAnotherHadReplaced(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s2", "write", func() { w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four", "of two", 1)) })
	cp := w.GitCommit("-a", "-m", "of two")
	w.Turn("s1", "write", func() {
		w.Write("a.txt", strings.Replace(w.Read("a.txt"), "of two", "of one", 1))
	})
	w.Git("checkout", "-q", "--", "a.txt")
	w.Git("reset", "-q", "HEAD~1")
	w.Turn("s1", "more", func() { w.Write("b.txt", "of one\n") })
	w.GitCommit("-m", "again", "a.txt")
	w.Wants(cp)
	if next := w.GitCommit("-m", "of one", "b.txt"); next == "" || next == cp {
		t.Errorf("the other work names %q", next)
	}
}

// A point on a commit that git has pruned cannot be gone to, and says why.
func TestRewindOntoAPrunedBase(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Write("b.txt", "by hand\n")
	w.Git("commit", "-q", "-a", "-m", "by hand")
	w.Turn("s1", "write", func() { w.Write("a.txt", "of one\n") })
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Turn("s1", "more", func() { w.Write("new.txt", "of one\n") })
	points := w.Points()
	w.Git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
	w.Git("gc", "-q", "--prune=now")
	if _, err := rewind.PlanRewind(w.Ctx, w.Engine(), points[len(points)-1], condense.Scope{}); !errors.Is(err, restore.ErrBaseGone) {
		t.Errorf("%v", err)
	}
}

// Steps that were made on a commit which is undone show its content, and do not
// make it again.
func TestUndoneCommitUnderTheStepsIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Chmod("b.txt", 0o755) })
	w.GitCommit("-a", "-m", "mode")
	w.Write("mine.txt", "by hand\n")
	w.Turn("s1", "more", func() { w.Write("new.txt", "of one\n") })
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Turn("s1", "more", func() { w.Write("b.txt", "b\nof one\n") })
	cp := w.GitCommit("-a", "-m", "b")
	w.Wants(cp)
}

// What a person has in the worktree is carried along with a session's work, and
// is not the session's for that, also after a rewind.
func TestCarriedFilesOfAPersonStayTheirs(t *testing.T) {
	t.Parallel()
	for name, committed := range map[string]func(*enginetest.World, func()){
		"between turns":        func(w *enginetest.World, commit func()) { w.Stop("s1"); commit() },
		"in the middle of one": func(w *enginetest.World, commit func()) { commit(); w.Stop("s1") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Write("mine.txt", "by hand\n")
			w.Turn("s1", "write", func() { w.Write("b.txt", "of one\n") })
			w.Prompt("s1", "more")
			w.Write("a.txt", "of one\n")
			w.Edits("s1", "a.txt")
			committed(w, func() { w.GitCommit("-m", "a", "a.txt") })
			w.Turn("s1", "more", func() { w.Write("new.txt", "of one\n") })
			point := w.Points()[0]
			w.Turn("s1", "still more", func() { w.Write("new.txt", "of one\nagain\n") })
			w.Rewind(point.ID)
			w.Git("add", "-A")
			cp := w.GitCommit("-m", "all")
			if got := strings.Join(w.Slots(cp)["s1"], " "); got != "b.txt new.txt" {
				t.Errorf("listed: %s", got)
			}
			w.NothingLeft()
		})
	}
}

// Two sessions edit a file, one of them in a turn in whose middle something else
// is committed: the file is listed for both when its time comes.
func TestFileOfTwoSessionsAfterAMidTurnCommit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "write")
	w.Write("a.txt", w.Read("a.txt")+"of one\n")
	w.Edits("s1", "a.txt")
	w.Write("new.txt", "of one\n")
	w.Edits("s1", "new.txt")
	w.Turn("s2", "write", func() { w.Write("a.txt", "of two\n"+w.Read("a.txt")); w.Edits("s2", "a.txt") })
	w.Git("add", "new.txt")
	w.GitCommit("-m", "new")
	cp := w.GitCommit("-a", "-m", "both")
	if slots := w.Slots(cp); strings.Join(slots["s1"], " ") != "a.txt" || strings.Join(slots["s2"], " ") != "a.txt" {
		t.Errorf("slots: %v", slots)
	}
}

// The mode that a person gives to what HEAD has already is nobody's work, also
// where the session has not heard yet that HEAD has it.
func TestModeOfWhatHeadHasIsNotLinked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("new.txt", "of one\n") })
	w.Git("add", "-A")
	w.CommitUnhooked()
	w.Chmod("new.txt", 0o755)
	w.GitCommit("-a", "-m", "by hand")
	w.Wants()
}

// A revert has nothing that anybody wrote for it, whatever waits in the same file,
// and whatever a squash that came to nothing has left behind.
func TestRevertIsNobodysWork(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*enginetest.World){
		"nothing else": func(*enginetest.World) {},
		"pending work was thrown away": func(w *enginetest.World) {
			w.Turn("s2", "write", func() { w.Write("a.txt", w.Read("a.txt")+"of two\n") })
			w.Git("reset", "-q", "--hard")
		},
		"pending work is in a stash": func(w *enginetest.World) {
			w.Turn("s2", "write", func() { w.Chmod("b.txt", 0o755) })
			w.Git("stash", "push", "-q")
			w.Prompt("s1", "no")
			w.Remove("b.txt")
			w.GitCommit("-a", "-m", "remove")
		},
		"a squash was thrown away": func(w *enginetest.World) {
			w.Git("switch", "-q", "-c", "other", "HEAD~1")
			w.Turn("s2", "write", func() { w.Write("b.txt", "of two\n") })
			w.GitCommit("-a", "-m", "of two")
			w.Git("switch", "-q", "main")
			w.Git("merge", "-q", "--squash", "other")
			w.Git("checkout", "-q", "HEAD", "--", "b.txt")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := enginetest.Linked(t)
			before(w)
			w.Git("revert", "--no-edit", "HEAD")
			w.Wants()
		})
	}
}
