package strategy

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// pointLines lists the points that are steps, and whether a commit has taken them.
func (w *world) pointLines() []string {
	w.t.Helper()
	var out []string
	for _, p := range w.points() {
		switch {
		case p.IsCommit():
		case p.TakenBy != "":
			out = append(out, "taken "+strings.ToLower(p.Message))
		default:
			out = append(out, strings.ToLower(p.Message))
		}
	}
	return out
}

func (w *world) wantPoints(want ...string) {
	w.t.Helper()
	if got := w.pointLines(); !slices.Equal(got, want) {
		w.t.Errorf("points:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// pointOf is the newest point whose message is the one given.
func (w *world) pointOf(message string) RewindPoint {
	w.t.Helper()
	for _, p := range w.points() {
		if strings.EqualFold(p.Message, message) {
			return p
		}
	}
	w.t.Fatalf("no point %q in %v", message, w.pointLines())
	return RewindPoint{}
}

// TestTurnsThatACommitHasTakenStayPoints: every one can be gone back to, files and
// conversation, also after a garbage collection, and undone.
func TestTurnsThatACommitHasTakenStayPoints(t *testing.T) {
	t.Parallel()
	for _, packed := range []bool{false, true} {
		w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
		w.turn("s1", "first", func() { w.Write("a.txt", "one\n"); w.Write("made.txt", "made\n") })
		talk := readFile(t, w.transcript("s1"))
		w.turn("s1", "second", func() { w.Write("a.txt", "two\n"); w.Remove("made.txt") })
		w.Git("add", "-A")
		w.commit("taken")
		w.turn("s1", "third", func() { w.Write("a.txt", "three\n") })
		w.Git("add", "-A")
		w.commit("taken, too")
		if len(w.shadows()) > 0 {
			t.Fatalf("shadow branches: %v", w.shadows())
		}
		if packed {
			w.Git("pack-refs", "--all", "--prune")
			w.Git("gc", "-q", "--prune=now")
		}
		w.wantPoints("taken third", "taken second", "taken first")
		before, head := w.files(), w.Head()
		p := w.pointOf("first")
		if p.TakenBy != w.Git("rev-parse", "HEAD^") || p.TakenIn.IsZero() || p.Turn != 1 || p.SessionPrompt != "first" {
			t.Errorf("point %+v", p)
		}
		plan, out := w.rewindIn(p.ID[:9], Scope{})
		if w.Read("a.txt") != "one\n" || w.Read("made.txt") != "made\n" || w.Head() != head {
			t.Errorf("a.txt %q, made.txt %v, HEAD %s", w.Read("a.txt"), w.Exists("made.txt"), w.Head())
		}
		if got := readFile(t, w.transcript("s1")); got != talk {
			t.Errorf("the conversation is %q, want %q", got, talk)
		}
		if told := strings.Join(out.Warnings, "\n"); !strings.Contains(told, "2 commits ago: the files become what they were then, HEAD stays") {
			t.Errorf("told %q, plan %+v", told, plan.Scope)
		}
		w.back(undoing, "")
		w.has("undo", before)
		w.rewindIn(w.pointOf("second").ID, Scope{Kind: ScopeTree, SkipTalk: true, Paths: []string{"a.txt"}})
		if w.Read("a.txt") != "two\n" {
			t.Errorf("restored: a.txt %q", w.Read("a.txt"))
		}
		w.Fsck()
	}
}

func TestACommitComesBeforeTheTurnsItHasTaken(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return time.Unix(1_700_000_000+int64(second), 0) }
	commits := []RewindPoint{{ID: "c2", Date: at(7), IsLogsOnly: true}, {ID: "c1", Date: at(5), IsLogsOnly: true}, {ID: "auto", Date: at(2)}}
	kept := []RewindPoint{{ID: "t3", Date: at(7), TakenBy: "c2"}, {ID: "t2", Date: at(5), TakenBy: "c1"}, {ID: "t1", Date: at(4), TakenBy: "c1"}, {ID: "the auto-commit", Date: at(2), TakenBy: "auto"},
		{ID: "t0", Date: at(1), TakenBy: "gone"}}
	var got []string
	for _, p := range inOrder(commits, kept, []RewindPoint{{ID: "label", Date: at(6)}}) {
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
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	for _, text := range []string{"one", "two", "three"} {
		w.turn("s1", text, func() { w.Write("a.txt", text+"\n") })
		w.turn("s1", text+" again", func() { w.Write("b.txt", text+"\n") })
		w.Git("add", "-A")
		w.commit(text)
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
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.turn("s1", "one's", func() { w.Write("one.txt", "one\n") })
	w.turn("s2", "two's", func() { w.Write("two.txt", "two\n") })
	w.Git("add", "one.txt")
	w.commit("one's work")
	w.wantPoints("two's", "taken one's")
	w.turn("s1", "one's more", func() { w.Write("one.txt", "more\n") })
	w.wantPoints("one's more", "two's", "taken one's")
	w.Git("add", "one.txt")
	w.commit("more of one's")
	w.wantPoints("two's", "taken one's more", "taken one's")
	if p, err := w.engine().FindPoint(w.ctx, w.pointOf("one's").ID); err != nil || p.TakenBy != w.Git("rev-parse", "HEAD^") {
		t.Errorf("found %+v, %v", p, err)
	}
	w.Git("add", "-A")
	w.commit("the rest")
	w.wantPoints("taken one's more", "taken two's", "taken one's")
	by := map[string]string{"two's": "HEAD", "one's more": "HEAD^", "one's": "HEAD~2"}
	for message, commit := range by {
		if p := w.pointOf(message); p.TakenBy != w.Git("rev-parse", commit) {
			t.Errorf("%s: taken by %s", message, p.TakenBy)
		}
	}
	w.Fsck()
}

// TestTurnsOfAnUnlinkedCommitAreKept: a person has removed the trailer.
func TestTurnsOfAnUnlinkedCommitAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.Git("commit", "-qam", "by hand, without hooks")
	if err := w.engine().PostCommit(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.wantPoints("taken second", "taken first")
	w.rewindIn(w.pointOf("first").ID, Scope{})
	if w.Read("a.txt") != "one\n" {
		t.Errorf("a.txt %q", w.Read("a.txt"))
	}
}

// TestTurnsOfAnAmendedCommitAreKept: those of both, whatever became of the first.
func TestTurnsOfAnAmendedCommitAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"})).hooked()
	w.turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.Git("add", "-A")
	w.gitCommit("-m", "all")
	w.turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.Git("add", "-A")
	w.gitCommit("--amend", "-m", "all of it")
	w.wantPoints("taken second", "taken first")
	w.rewindIn(w.pointOf("first").ID, Scope{})
	if w.Read("a.txt") != "one\n" {
		t.Errorf("a.txt %q", w.Read("a.txt"))
	}
}

// TestKeptTurnsOnAnotherLineOfHistory bring their changes, not their tree, unless
// the tree is asked for.
func TestKeptTurnsOnAnotherLineOfHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n", "b.txt": "zero\n"}))
	w.Git("switch", "-qc", "side")
	w.Write("b.txt", "side\n")
	w.Git("commit", "-qam", "side")
	w.turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.Git("add", "-A")
	w.commit("taken")
	w.Git("switch", "-q", "main")
	p := w.pointOf("first")
	w.rewindIn(p.ID, Scope{SkipTalk: true})
	if w.Read("a.txt") != "one\n" || w.Read("b.txt") != "zero\n" {
		t.Errorf("a.txt %q, b.txt %q", w.Read("a.txt"), w.Read("b.txt"))
	}
	w.rewindIn(p.ID, Scope{Kind: ScopeTree, SkipTalk: true})
	if w.Read("b.txt") != "side\n" {
		t.Errorf("the whole tree: b.txt %q", w.Read("b.txt"))
	}
}

// TestASessionAtWorkKeepsItsFilesWhenAKeptTurnIsGoneBackTo: only --tree takes them.
func TestASessionAtWorkKeepsItsFilesWhenAKeptTurnIsGoneBackTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.Git("add", "-A")
	w.commit("taken")
	w.turn("s2", "at work", func() { w.Write("busy.txt", "busy\n") })
	w.prompt("s2", "still")
	before := w.files()
	_, out := w.rewindIn(w.pointOf("first").ID, Scope{})
	if w.Read("a.txt") != "one\n" || w.Read("busy.txt") != "busy\n" || !strings.Contains(strings.Join(out.Warnings, "\n"), "session s2 is at work now") {
		t.Errorf("a.txt %q, busy.txt %q, told %v", w.Read("a.txt"), w.Read("busy.txt"), out.Warnings)
	}
	w.back(undoing, "")
	w.has("undo", before)
	w.rewindIn(w.pointOf("first").ID, Scope{Kind: ScopeTree})
	if w.Exists("busy.txt") {
		t.Error("the whole tree: busy.txt is there")
	}
}

// TestKeptTurnsEndWithTheirTime: after thirty days they are no points any more.
func TestKeptTurnsEndWithTheirTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "zero\n"}))
	w.turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.Git("add", "-A")
	w.commit("taken")
	w.wantPoints("taken first")
	w.later(29 * 24 * time.Hour)
	w.wantPoints("taken first")
	w.later(3 * 24 * time.Hour)
	w.wantPoints()
}
