package condense_test

import (
	"strings"
	"testing"

	"entire/agent"
	"entire/strategy/internal/enginetest"
)

// Two sessions share a branch; the one whose turn begins first after HEAD moved
// renames it, and the other's work is still its own.
func TestSessionsFollowTogetherWhenHeadMoves(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Git("switch", "-q", "-c", "theirs")
	w.Write("theirs.txt", "theirs\n")
	w.Git("add", "-A")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "theirs")
	w.Git("switch", "-q", "main")
	w.Turn("s2", "write", func() { w.Write("two.txt", "of two\n") })
	w.Turn("s1", "write", func() { w.Write("one.txt", "of one\n") })
	w.Git("merge", "-q", "--ff-only", "theirs")
	w.Turn("s1", "more", func() { w.Write("a.txt", "of one\n") })
	if got := w.State("s2").BaseCommit; got != w.Head() {
		t.Errorf("s2 stays on %s", got)
	}
	w.Git("add", "one.txt", "a.txt")
	cp := w.GitCommit("-m", "of one")
	if meta := w.Metadata(cp, "metadata.json"); strings.Contains(meta, "two.txt") {
		t.Errorf("the first commit has %s", meta)
	}
	w.Git("add", "two.txt")
	if cp = w.GitCommit("-m", "of two"); cp == "" {
		t.Fatal("the other session's work is not linked")
	}
	if meta := w.Metadata(cp, "0/metadata.json"); !strings.Contains(meta, `"session_id": "s2"`) {
		t.Errorf("the second commit has %s", meta)
	}
	w.NothingLeft()
}

// What a session's own tools wrote in the turn is its own, also where another
// session has worked before.
func TestMidTurnCommitListsAFileOfTwoSessions(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s2", "write", func() { w.Write("a.txt", w.Read("a.txt")+"of two\n") })
	w.Prompt("s1", "more")
	w.Write("a.txt", w.Read("a.txt")+"of one\n")
	w.Edits("s1", "a.txt")
	cp := w.GitCommit("-a", "-m", "both")
	if cp == "" {
		t.Fatal("not linked")
	}
	for _, slot := range []string{"0", "1"} {
		if meta := w.Metadata(cp, slot+"/metadata.json"); !strings.Contains(meta, "a.txt") {
			t.Errorf("slot %s: %s", slot, meta)
		}
	}
}

// A session whose first turn begins after HEAD moved brings the pending steps of
// the others along: they are not set aside, and remain linkable.
func TestANewSessionBringsIdleOnesAlongWhenHeadMoved(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Git("switch", "-q", "-c", "theirs")
	w.Write("theirs.txt", "theirs\n")
	w.Git("add", "-A")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "theirs")
	w.Git("switch", "-q", "main")
	w.Turn("s2", "write", func() { w.Write("two.txt", "of two\n") })
	w.Git("merge", "-q", "--ff-only", "theirs")
	w.Turn("s1", "begin", func() { w.Write("one.txt", "of one\n") })
	if got := w.State("s2").BaseCommit; got != w.Head() {
		t.Errorf("s2 stays on %s", got)
	}
	w.Git("add", "two.txt") // as its earlier step left it
	w.Turn("s2", "more", func() { w.Write("two.txt", "of two\nand more\n") })
	if refs := w.Git("for-each-ref", "refs/entire/orphans/"); refs != "" {
		t.Errorf("set aside: %s", refs)
	}
	cp := w.GitCommit("-m", "of two")
	if cp == "" {
		t.Fatal("the earlier step's work is not linked")
	}
	if meta := w.Metadata(cp, "0/metadata.json"); !strings.Contains(meta, `"session_id": "s2"`) {
		t.Errorf("the commit has %s", meta)
	}
}

// A rewind that brings work back after `reset --hard` has taken HEAD from under
// the sessions brings their steps along: each one's files are its own still.
func TestRewindAfterAResetBringsEverySessionAlong(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+"of one\n"); w.Write("b.txt", "of one\n") })
	w.Turn("s2", "write", func() { w.Write("two.txt", "of two\n") })
	present := w.Points()[0].ID
	w.GitCommit("-m", "one file", "--", "b.txt")
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Rewind(present)
	for _, sid := range []string{"s1", "s2"} {
		if got := w.State(sid).BaseCommit; got != w.Head() {
			t.Errorf("%s stays on %s", sid, got)
		}
	}
	cps := strings.Fields(w.GitCommit("-a", "-m", "all of one's"))
	if len(cps) == 0 || !strings.Contains(w.Metadata(cps[0], "0/metadata.json"), "a.txt") {
		t.Errorf("the checkpoints %q do not list a.txt", cps)
	}
	w.Git("add", "-A")
	w.GitCommit("-m", "two's")
	w.NothingLeft()
}

// What stood there when a turn began, and a reset in its middle made uncommitted, is
// not the turn's work, a commit in the turn or not.
func TestUncommittedInMidTurnByAResetIsNotTheTurns(t *testing.T) {
	t.Parallel()
	for _, inTurn := range []bool{false, true} {
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Git("commit", "-q", "--no-verify", "--allow-empty", "-m", "more")
		w.Turn("s2", "write", func() { w.Write("new.txt", "of two\n") })
		w.Write("a-persons.txt", "a person's\n")
		w.Git("add", "-A")
		w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "without hooks")
		w.Prompt("s1", "look")
		w.Git("reset", "-q", "--mixed", "HEAD~1")
		w.Remove("b.txt")
		w.Git("add", "b.txt")
		w.WantsOf("s1", w.GitCommit("-m", "the agent's"), "b.txt")
		if inTurn {
			w.Git("add", "a-persons.txt")
			w.WantsOf("s1", w.GitCommit("-m", "by hand"))
		}
		w.Prompt("s1", "go on")
		w.Turn("s1", "and on", func() { w.Write("a.txt", w.Read("a.txt")+"of one\n") })
		w.Git("add", "-A")
		w.GitCommit("-m", "all")
		named := strings.Fields(w.Trailer("HEAD")) // the commit that was reset had a checkpoint, too
		w.WantsOf("s1", named[0], "a.txt")
	}
}

// What a shell wrote in a turn, and a commit in its middle left, is linked when another
// one in that turn has it.
func TestLeftByACommitInMidTurnAndCommittedInIt(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"", "by hand\n"} {
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Prompt("s1", "write")
		w.RanShell("s1", func() {
			w.Write("a.txt", w.Read("a.txt")+"by the shell\n")
			w.Write("b.txt", w.Read("b.txt")+"by the shell\n")
		})
		w.Write("a.txt", w.Read("a.txt")+"by its tool\n")
		w.Edits("s1", "a.txt")
		first := w.GitCommit("-m", "one", "a.txt")
		w.Write("b.txt", w.Read("b.txt")+more)
		second := w.GitCommit("-a", "-m", "two")
		if first == "" || second == "" || first == second {
			t.Errorf("with %q more, the trailers are %q and %q", more, first, second)
		}
	}
}

// A file that a person commits under the name that the turn in progress has given it
// is in the session's list, and still is when the commit is made again.
func TestRenamedInMidTurnIsListed(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("old.txt", "of one, first\nof one, second\n") })
	w.Prompt("s1", "rename")
	w.Write("new.txt", w.Read("old.txt"))
	w.Remove("old.txt")
	w.Git("add", "-A")
	w.WantsOf("s1", w.CommitByPerson("-m", "new"), "new.txt")
}

// A reset in the middle of a turn leaves standing what it undoes, also where a commit
// later in that turn carries work of the turn forward.
func TestResetAndCommitInTheMiddleOfATurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Git("commit", "-q", "--no-verify", "--allow-empty", "-m", "a person's")
	w.Turn("s2", "write", func() { w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four", "of two", 1)) })
	w.Prompt("s1", "write")
	w.GitCommit("-a", "-m", "of two")
	w.Task(agent.TaskStart, "s1", "t1", nil)
	w.Write("new.txt", "of one\n")
	w.Write("more.txt", "of one\n")
	w.Task(agent.TaskEnd, "s1", "t1", nil)
	w.Git("reset", "-q", "--mixed", "HEAD~2")
	w.Git("add", "new.txt")
	w.WantsOf("s1", w.GitCommit("-m", "new", "new.txt"), "new.txt")
	w.Turn("s1", "more", func() { w.Write("last.txt", "of one\n") })
	w.Git("add", "-A")
	w.GitCommit("-m", "all")
	w.WantsOf("s1", strings.Fields(w.Trailer("HEAD"))[0], "last.txt", "more.txt")
}
