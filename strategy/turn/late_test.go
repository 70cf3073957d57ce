package turn_test

import (
	"context"
	"os"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/engine"
	"entire/strategy/internal/enginetest"
	"entire/strategy/sessionstate"
)

// A post-commit hook was killed, and the next thing that is heard of comes after
// HEAD has moved on.
func TestKilledAfterACommitThenHeadMoves(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(w *enginetest.World){
		"a commit without hooks": func(w *enginetest.World) {
			w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "unhooked")
		},
		"another branch": func(w *enginetest.World) { w.Git("switch", "-q", "-c", "other", "HEAD~1") },
	} {
		for after, next := range map[string]func(w *enginetest.World){
			"a turn":   func(w *enginetest.World) { w.Turn("s2", "hm", func() {}) },
			"a commit": func(w *enginetest.World) { w.GitCommit("--allow-empty", "-m", "next") },
		} {
			t.Run(name+", "+after, func(t *testing.T) {
				t.Parallel()
				w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
				w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
				hook, err := os.ReadFile(w.GitPath("hooks/post-commit"))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(w.GitPath("hooks/post-commit")); err != nil {
					t.Fatal(err)
				}
				cp := w.GitCommit("-a", "-m", "work")
				move(w)
				testrepo.WriteScript(t, w.GitPath("hooks/post-commit"), string(hook))
				next(w)
				w.HooksWentWell()
				if slots := w.Slots(cp); len(slots) != 1 {
					t.Errorf("slots of %s: %v", cp, slots)
				}
				w.Turn("s1", "hm", func() {})
				w.NothingLeft()
			})
		}
	}
}

func TestANoLeavesTheLinksOfWorkBefore(t *testing.T) {
	t.Parallel()
	w, cp := enginetest.Linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.Turn("s2", "more", func() { w.Write("second.txt", "of another session\n") })
	w.Git("add", "-A")
	file := w.GitPath("COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte("again\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e := w.Engine()
	e.NoEditor, e.CommitLinking, e.HumanPresent = true, sessionstate.LinkPrompt, func() bool { return true }
	e.Confirm = func(context.Context, string, string) bool { return false }
	if err := engine.PrepareCommitMsg(w.Ctx, e, file, "message"); err != nil {
		t.Fatal(err)
	}
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-F", file)
	if err := engine.PostCommit(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	w.Wants(cp)
	if w.Slots(cp)["s2"] != nil {
		t.Error("the session that was declined is in the checkpoint")
	}
	w.NothingLeft()
}

func TestADamagedUndoneCommitIsNoHindrance(t *testing.T) {
	t.Parallel()
	w, _ := enginetest.Linked(t)
	undone := w.Head()
	w.Git("reset", "-q", "--hard", "HEAD~1")
	object := w.GitPath("objects/" + undone[:2] + "/" + undone[2:])
	if err := os.Chmod(object, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(object, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Turn("s1", "more", func() { w.Write("more.txt", "agent\n") })
	w.Git("add", "-A")
	if w.GitCommit("-m", "more") == "" {
		t.Error("not linked")
	}
}
