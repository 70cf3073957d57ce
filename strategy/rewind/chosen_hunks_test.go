package rewind_test

import (
	"strings"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

// rewindHunks goes to a point for one file only, which gets the text that chosen hunks make.
func rewindHunks(w *enginetest.World, point, path, text string) *restore.RewindOutcome {
	w.T.Helper()
	e := w.Engine()
	p, err := step.FindPoint(w.Ctx, e, point)
	w.Must(err)
	plan, err := rewind.PlanRewind(w.Ctx, e, p, condense.Scope{Kind: condense.ScopeTree})
	w.Must(err)
	oid, err := e.Repo.Writer().Blob([]byte(text))
	w.Must(err)
	w.Must(plan.Choose(w.Ctx, e, map[string]rewind.Choice{path: {Blob: oid}}))
	if len(plan.Changes) != 1 || plan.Conversation {
		w.T.Fatalf("the plan changes %v, conversation: %v", plan.Changes, plan.Conversation)
	}
	out, err := rewind.Rewind(w.Ctx, e, plan)
	w.Must(err)
	return out
}

// TestChosenHunks brings back one hunk of a file. All else stays, undo and redo work, every line
// keeps its owner, and a later rewind of all work also undoes the choice.
func TestChosenHunks(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": lettered(12, nil), "b.txt": "b\n"})).Hooked()
	w.Turn("s1", "first", func() {
		w.Write("a.txt", lettered(12, map[int]string{1: "the first turn wrote one", 6: "the first turn wrote six"}))
	})
	first := w.Points()[0].ID
	w.Turn("s1", "second", func() {
		w.Write("a.txt", lettered(12, map[int]string{1: "the second turn wrote one", 6: "the second turn wrote six", 12: "the second turn wrote twelve"}))
		w.Write("b.txt", "the second turn wrote b\n")
	})
	before := w.Files()
	out := rewindHunks(w, first, "a.txt",
		lettered(12, map[int]string{1: "the first turn wrote one", 6: "the second turn wrote six", 12: "the second turn wrote twelve"}))
	after := w.Files()
	if got := w.Read("b.txt"); got != "the second turn wrote b\n" {
		t.Errorf("b.txt is %q", got)
	}
	if out.SessionID != "" && out.ResumeCommand != "" {
		t.Errorf("the conversation went back: %+v", out)
	}
	w.Back(enginetest.Undoing, "")
	w.Has("undo", before)
	w.Back(enginetest.Redoing, "")
	w.Has("redo", after)

	w.RewindIn(first, condense.Scope{Kind: condense.ScopeTree})
	if got := w.Read("a.txt"); got != lettered(12, map[int]string{1: "the first turn wrote one", 6: "the first turn wrote six"}) {
		t.Errorf("a rewind of all work left\n%s", got)
	}
	w.Back(enginetest.Undoing, "")
	w.Has("undo of the second", after)

	w.Git("add", "-A")
	cp := w.GitCommit("-m", "all")
	if got := strings.Fields(w.Owners(cp, "a.txt")); len(got) != 12 || got[0] != "s1/1" || got[5] != "s1/2" || got[11] != "s1/2" {
		t.Errorf("owners of a.txt: %v", got)
	}
	if got := w.Owners(cp, "b.txt"); got != "s1/2" {
		t.Errorf("owners of b.txt: %s", got)
	}
	w.Fsck()
}

// TestChosenHunksOfASession undoes a session's work after hunks of it were undone already.
func TestChosenHunksOfASession(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": lettered(12, nil)}))
	w.Turn("s2", "before", func() { w.Write("c.txt", "c\n") })
	start := w.Points()[0].ID
	w.Turn("s1", "work", func() { w.Write("a.txt", lettered(12, map[int]string{1: "one", 12: "twelve"})) })
	rewindHunks(w, start, "a.txt", lettered(12, map[int]string{12: "twelve"}))
	w.RewindIn(start, condense.Scope{Kind: condense.ScopeSession, Session: "s1"})
	if got := w.Read("a.txt"); got != lettered(12, nil) {
		t.Errorf("the session's rewind left\n%s", got)
	}
	w.Fsck()
}
