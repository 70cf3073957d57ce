package githead_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/engine"
	"entire/strategy/internal/enginetest"
	"entire/strategy/step"
)

// TestTurnsThatACommitHasTakenStayPoints: every one can be gone back to, files and
// conversation, also after a garbage collection, and undone.
func TestTurnsThatACommitHasTakenStayPoints(t *testing.T) {
	t.Parallel()
	for _, packed := range []bool{false, true} {
		w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
		w.Turn("s1", "first", func() { w.Write("a.txt", "one\n"); w.Write("made.txt", "made\n") })
		talk := enginetest.ReadFile(t, w.Transcript("s1"))
		w.Turn("s1", "second", func() { w.Write("a.txt", "two\n"); w.Remove("made.txt") })
		w.Git("add", "-A")
		w.CommitHooked("taken")
		w.Turn("s1", "third", func() { w.Write("a.txt", "three\n") })
		w.Git("add", "-A")
		w.CommitHooked("taken, too")
		if len(w.Shadows()) > 0 {
			t.Fatalf("shadow branches: %v", w.Shadows())
		}
		if packed {
			w.Git("pack-refs", "--all", "--prune")
			w.Git("gc", "-q", "--prune=now")
		}
		w.WantPoints("taken third", "taken second", "taken first")
		before, head := w.Files(), w.Head()
		p := w.PointOf("first")
		if p.TakenBy != w.Git("rev-parse", "HEAD^") || p.TakenIn.IsZero() || p.Turn != 1 || p.SessionPrompt != "first" {
			t.Errorf("point %+v", p)
		}
		plan, out := w.RewindIn(p.ID[:9], condense.Scope{})
		if w.Read("a.txt") != "one\n" || w.Read("made.txt") != "made\n" || w.Head() != head {
			t.Errorf("a.txt %q, made.txt %v, HEAD %s", w.Read("a.txt"), w.Exists("made.txt"), w.Head())
		}
		if got := enginetest.ReadFile(t, w.Transcript("s1")); got != talk {
			t.Errorf("the conversation is %q, want %q", got, talk)
		}
		if told := strings.Join(out.Warnings, "\n"); !strings.Contains(told, "2 commits ago: the files become what they were then, HEAD stays") {
			t.Errorf("told %q, plan %+v", told, plan.Scope)
		}
		w.Back(enginetest.Undoing, "")
		w.Has("undo", before)
		w.RewindIn(w.PointOf("second").ID, condense.Scope{Kind: condense.ScopeTree, SkipConversation: true, Paths: []string{"a.txt"}})
		if w.Read("a.txt") != "two\n" {
			t.Errorf("restored: a.txt %q", w.Read("a.txt"))
		}
		w.Fsck()
	}
}

func TestACommitComesBeforeTheTurnsItHasTaken(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return time.Unix(1_700_000_000+int64(second), 0) }
	commits := []step.RewindPoint{{ID: "c2", Date: at(7), IsLogsOnly: true}, {ID: "c1", Date: at(5), IsLogsOnly: true}, {ID: "auto", Date: at(2)}}
	kept := []step.RewindPoint{{ID: "t3", Date: at(7), TakenBy: "c2"}, {ID: "t2", Date: at(5), TakenBy: "c1"}, {ID: "t1", Date: at(4), TakenBy: "c1"}, {ID: "the auto-commit", Date: at(2), TakenBy: "auto"},
		{ID: "t0", Date: at(1), TakenBy: "gone"}}
	var got []string
	for _, p := range step.MergeByDate(commits, kept, []step.RewindPoint{{ID: "label", Date: at(6)}}) {
		got = append(got, p.ID)
	}
	if want := []string{"c2", "t3", "label", "c1", "t2", "t1", "auto", "t0"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestOneCommitKeepsTurnsInOneObject: what a commit costs does not grow with the
// turns before it.
func TestOneCommitKeepsTurnsInOneObject(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.Now = w.Now.Truncate(24 * time.Hour).Add(12 * time.Hour) // the ref is a day's
	for _, text := range []string{"one", "two", "three"} {
		w.Turn("s1", text, func() { w.Write("a.txt", text+"\n") })
		w.Turn("s1", text+" again", func() { w.Write("b.txt", text+"\n") })
		w.Git("add", "-A")
		w.CommitHooked(text)
	}
	ref := strings.Fields(w.Git("for-each-ref", "--format=%(refname)", "refs/entire/turns/"))
	if len(ref) != 1 {
		t.Fatalf("refs %v", ref)
	}
	for n, at := 3, ref[0]; n > 0; n, at = n-1, at+"^" {
		if got := w.Git("cat-file", "-p", at); !strings.Contains(got, "Entire-Turns-Commit: "+w.Git("rev-parse", "HEAD~"+string(rune('0'+3-n)))) {
			t.Errorf("entry %d: %s", n, got)
		}
	}
	if got := w.Git("for-each-ref", "--format=%(refname)", "refs/heads/"); strings.Contains(got, "turns") {
		t.Errorf("branches %s", got)
	}
}

// TestTurnsOfACommitAreNotTemporaryBesideAnothersWork: two sessions on one branch,
// and a commit takes one's work.
func TestTurnsOfACommitAreNotTemporaryBesideAnothersWork(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.Turn("s1", "one's", func() { w.Write("one.txt", "one\n") })
	w.Turn("s2", "two's", func() { w.Write("two.txt", "two\n") })
	w.Git("add", "one.txt")
	w.CommitHooked("one's work")
	w.WantPoints("two's", "taken one's")
	w.Turn("s1", "one's more", func() { w.Write("one.txt", "more\n") })
	w.WantPoints("one's more", "two's", "taken one's")
	w.Git("add", "one.txt")
	w.CommitHooked("more of one's")
	w.WantPoints("two's", "taken one's more", "taken one's")
	if p, err := step.FindPoint(w.Ctx, w.Engine(), w.PointOf("one's").ID); err != nil || p.TakenBy != w.Git("rev-parse", "HEAD^") {
		t.Errorf("found %+v, %v", p, err)
	}
	w.Git("add", "-A")
	w.CommitHooked("the rest")
	w.WantPoints("taken one's more", "taken two's", "taken one's")
	by := map[string]string{"two's": "HEAD", "one's more": "HEAD^", "one's": "HEAD~2"}
	for message, commit := range by {
		if p := w.PointOf(message); p.TakenBy != w.Git("rev-parse", commit) {
			t.Errorf("%s: taken by %s", message, p.TakenBy)
		}
	}
	w.Fsck()
}

// TestTurnsOfAnUnlinkedCommitAreKept: a person has removed the trailer.
func TestTurnsOfAnUnlinkedCommitAreKept(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.Git("commit", "-qam", "by hand, without hooks")
	if err := engine.PostCommit(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	w.WantPoints("taken second", "taken first")
	w.RewindIn(w.PointOf("first").ID, condense.Scope{})
	if w.Read("a.txt") != "one\n" {
		t.Errorf("a.txt %q", w.Read("a.txt"))
	}
}

// TestTurnsOfAnAmendedCommitAreKept: those of both, whatever became of the first.
func TestTurnsOfAnAmendedCommitAreKept(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"})).Hooked()
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.Git("add", "-A")
	w.GitCommit("-m", "all")
	w.Turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.Git("add", "-A")
	w.GitCommit("--amend", "-m", "all of it")
	w.WantPoints("taken second", "taken first")
	w.RewindIn(w.PointOf("first").ID, condense.Scope{})
	if w.Read("a.txt") != "one\n" {
		t.Errorf("a.txt %q", w.Read("a.txt"))
	}
}

// TestKeptTurnsOnAnotherLineOfHistory bring their changes, not their tree, unless
// the tree is asked for.
func TestKeptTurnsOnAnotherLineOfHistory(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n", "b.txt": "zero\n"}))
	w.Git("switch", "-qc", "side")
	w.Write("b.txt", "side\n")
	w.Git("commit", "-qam", "side")
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.Git("add", "-A")
	w.CommitHooked("taken")
	w.Git("switch", "-q", "main")
	p := w.PointOf("first")
	w.RewindIn(p.ID, condense.Scope{SkipConversation: true})
	if w.Read("a.txt") != "one\n" || w.Read("b.txt") != "zero\n" {
		t.Errorf("a.txt %q, b.txt %q", w.Read("a.txt"), w.Read("b.txt"))
	}
	w.RewindIn(p.ID, condense.Scope{Kind: condense.ScopeTree, SkipConversation: true})
	if w.Read("b.txt") != "side\n" {
		t.Errorf("the whole tree: b.txt %q", w.Read("b.txt"))
	}
}

// TestASessionAtWorkKeepsItsFilesWhenAKeptTurnIsGoneBackTo: only --tree takes them.
func TestASessionAtWorkKeepsItsFilesWhenAKeptTurnIsGoneBackTo(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.Git("add", "-A")
	w.CommitHooked("taken")
	w.Turn("s2", "at work", func() { w.Write("busy.txt", "busy\n") })
	w.Prompt("s2", "still")
	before := w.Files()
	_, out := w.RewindIn(w.PointOf("first").ID, condense.Scope{})
	if w.Read("a.txt") != "one\n" || w.Read("busy.txt") != "busy\n" || !strings.Contains(strings.Join(out.Warnings, "\n"), "session s2 is at work now") {
		t.Errorf("a.txt %q, busy.txt %q, told %v", w.Read("a.txt"), w.Read("busy.txt"), out.Warnings)
	}
	w.Back(enginetest.Undoing, "")
	w.Has("undo", before)
	w.RewindIn(w.PointOf("first").ID, condense.Scope{Kind: condense.ScopeTree})
	if w.Exists("busy.txt") {
		t.Error("the whole tree: busy.txt is there")
	}
}

// TestKeptTurnsEndWithTheirTime: after thirty days they are no points any more.
func TestKeptTurnsEndWithTheirTime(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.Git("add", "-A")
	w.CommitHooked("taken")
	w.WantPoints("taken first")
	w.Later(29 * 24 * time.Hour)
	w.WantPoints("taken first")
	w.Later(3 * 24 * time.Hour)
	w.WantPoints()
}
