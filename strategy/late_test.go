package strategy

import (
	"context"
	"os"
	"testing"

	"entire/internal/testrepo"
)

// A post-commit hook was killed, and the next thing that is heard of comes after
// HEAD has moved on.
func TestKilledAfterACommitThenHeadMoves(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(w *world){
		"a commit without hooks": func(w *world) {
			w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "unhooked")
		},
		"another branch": func(w *world) { w.Git("switch", "-q", "-c", "other", "HEAD~1") },
	} {
		for after, next := range map[string]func(w *world){
			"a turn":   func(w *world) { w.turn("s2", "hm", func() {}) },
			"a commit": func(w *world) { w.gitCommit("--allow-empty", "-m", "next") },
		} {
			t.Run(name+", "+after, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, sourceFiles()).hooked()
				w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
				hook, err := os.ReadFile(w.GitPath("hooks/post-commit"))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(w.GitPath("hooks/post-commit")); err != nil {
					t.Fatal(err)
				}
				cp := w.gitCommit("-a", "-m", "work")
				move(w)
				testrepo.WriteScript(t, w.GitPath("hooks/post-commit"), string(hook))
				next(w)
				w.hooksWentWell()
				if slots := w.slots(cp); len(slots) != 1 {
					t.Errorf("slots of %s: %v", cp, slots)
				}
				w.turn("s1", "hm", func() {})
				w.nothingLeft()
			})
		}
	}
}

func TestANoLeavesTheLinksOfWorkBefore(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.turn("s2", "more", func() { w.Write("second.txt", "of another session\n") })
	w.Git("add", "-A")
	file := w.GitPath("COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte("again\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e := w.engine()
	e.NoEditor, e.CommitLinking, e.HumanPresent = true, LinkPrompt, func() bool { return true }
	e.Confirm = func(context.Context, string, string) bool { return false }
	if err := e.PrepareCommitMsg(w.ctx, file, "message"); err != nil {
		t.Fatal(err)
	}
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-F", file)
	if err := w.engine().PostCommit(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.wants(cp)
	if w.slots(cp)["s2"] != nil {
		t.Error("the session that was declined is in the checkpoint")
	}
	w.nothingLeft()
}

func TestADamagedUndoneCommitIsNoHindrance(t *testing.T) {
	t.Parallel()
	w, _ := linked(t)
	undone := w.Head()
	w.Git("reset", "-q", "--hard", "HEAD~1")
	object := w.GitPath("objects/" + undone[:2] + "/" + undone[2:])
	if err := os.Chmod(object, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(object, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.turn("s1", "more", func() { w.Write("more.txt", "agent\n") })
	w.Git("add", "-A")
	if w.gitCommit("-m", "more") == "" {
		t.Error("not linked")
	}
}
