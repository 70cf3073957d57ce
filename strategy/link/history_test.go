package link_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"entire/strategy/internal/enginetest"
)

func TestAmendWithAMessageKeepsTheLink(t *testing.T) {
	t.Parallel()
	w, cp := enginetest.Linked(t)
	w.GitCommit("--amend", "-m", "other words")
	w.Wants(cp)
	w.Git("config", "alias.again", "commit --amend")
	w.Git("again", "-q", "-m", "through an alias")
	w.Wants(cp)
	w.Write("more.txt", "by hand\n")
	w.Git("add", "-A")
	w.GitCommit("--am", "-m", "with more")
	w.Wants(cp)
	w.GitCommit("--allow-empty", "-m", "an empty one is not an amend")
	w.Wants()
	w.NothingLeft()
}

func TestAmendWithAMessageAndNewWork(t *testing.T) {
	t.Parallel()
	w, cp := enginetest.Linked(t)
	w.Turn("s1", "more", func() { w.Write("second.txt", "agent again\n") })
	w.Git("add", "-A")
	w.GitCommit("--amend", "-m", "both")
	w.Wants(cp)
	if files := w.Metadata(cp, "0/metadata.json"); !strings.Contains(files, "second.txt") || !strings.Contains(files, "new.txt") {
		t.Errorf("the slot says %s", files)
	}
	w.NothingLeft()
}

func TestAmendOfAnUnlinkedCommitWithWork(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Write("b.txt", "by hand\n")
	w.GitCommit("-a", "-m", "a person's")
	w.Wants()
	w.Turn("s1", "write", func() { w.Write("new.txt", "agent\n") })
	w.Git("add", "-A")
	if cp := w.GitCommit("--amend", "--no-edit"); cp == "" {
		t.Error("not linked")
	}
	w.NothingLeft()
}

func TestResetAndRedo(t *testing.T) {
	t.Parallel()
	w, cp := enginetest.Linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.GitCommit("-m", "redone")
	w.Wants(cp)

	w.Git("reset", "-q", "HEAD~1")
	w.Git("add", "new.txt")
	w.GitCommit("-m", "one half")
	w.Wants(cp)
	w.Write("b.txt", "by hand\n")
	w.GitCommit("-m", "a person's, in between", "b.txt")
	w.Wants()
	w.GitCommit("-a", "-m", "the other half")
	w.Wants(cp)
	w.Write("new.txt", "agent one\nagent two\nby hand\n")
	w.GitCommit("-a", "-m", "a person's line after it")
	w.Wants()
	w.NothingLeft()
}

func TestThreeCommitsRedoneAsOne(t *testing.T) {
	t.Parallel()
	w, first := enginetest.Linked(t)
	w.Turn("s2", "second", func() { w.Write("second.txt", "of another session\n") })
	w.Git("add", "-A")
	second := w.GitCommit("-m", "second")
	w.Write("hand.txt", "by hand\n")
	w.Git("add", "-A")
	w.GitCommit("-m", "third")
	w.Git("reset", "-q", "--soft", "HEAD~3")
	w.GitCommit("-m", "all in one")
	w.Wants(first, second)
	w.NothingLeft()
}

func TestRedoneWithMoreWork(t *testing.T) {
	t.Parallel()
	w, cp := enginetest.Linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.Turn("s1", "more", func() { w.Write("new.txt", "agent one\nagent two\nagent three\n") })
	w.Git("add", "-A")
	w.GitCommit("-m", "more")
	if got := strings.Fields(w.Trailer("HEAD")); len(got) != 2 || got[1] != cp {
		t.Errorf("trailers %v, want a new one and %s", got, cp)
	}
	w.NothingLeft()
}

func TestDiscardedAndWrittenAgain(t *testing.T) {
	t.Parallel()
	w, cp := enginetest.Linked(t)
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Turn("s1", "once more", func() { w.Write("new.txt", "agent one\nagent two\n") })
	w.Git("add", "-A")
	w.GitCommit("-m", "again")
	if got := strings.Fields(w.Trailer("HEAD")); len(got) != 1 || got[0] == cp {
		t.Errorf("trailers %v, want a new one alone", got)
	}
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Write("new.txt", "something else entirely\n")
	w.Git("add", "-A")
	w.GitCommit("-m", "a person's own")
	w.Wants()
	w.NothingLeft()
}

func TestSquashMerge(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Git("switch", "-q", "-c", "feature")
	var cps []string
	for _, name := range []string{"one", "two"} {
		w.Turn("s1", name, func() { w.Write(name+".txt", "agent "+name+"\n") })
		w.Git("add", "-A")
		cps = append(cps, w.GitCommit("-m", name))
	}
	w.Git("switch", "-q", "main")
	w.Git("merge", "-q", "--squash", "feature")
	w.GitCommit("-m", "squashed")
	w.Wants(cps...)
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Git("merge", "-q", "--squash", "feature")
	w.GitCommit("--no-edit")
	w.Wants(cps...)
	w.NothingLeft()
}

func TestMergeIsLinkedForWhatNoSideHas(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Git("switch", "-q", "-c", "feature")
	w.Write("a.txt", "theirs\n")
	w.GitCommit("-a", "-m", "theirs")
	w.Git("switch", "-q", "main")
	w.Write("b.txt", "ours\n")
	w.GitCommit("-a", "-m", "ours, elsewhere")
	w.Turn("s1", "write", func() { w.Write("pending.txt", "agent\n") })
	w.Git("merge", "-q", "--no-edit", "feature")
	w.Wants()
	w.Write("a.txt", "ours\n")
	w.GitCommit("-m", "ours", "a.txt")
	w.Git("switch", "-q", "feature")
	w.Write("a.txt", "theirs again\n")
	w.GitCommit("-m", "theirs again", "a.txt")
	w.Git("switch", "-q", "main")
	if _, err := w.TryGit("merge", "-q", "feature"); err == nil {
		t.Fatal("no conflict")
	}
	w.Turn("s1", "solve it", func() { w.Write("a.txt", "solved by the agent\n") })
	w.Git("add", "a.txt")
	if cp := w.GitCommit("--no-edit"); cp == "" {
		t.Error("the solved merge is not linked")
	} else if meta := w.Metadata(cp, "0/metadata.json"); strings.Contains(meta, "b.txt") || !strings.Contains(meta, "a.txt") {
		t.Errorf("the slot says %s", meta)
	}
	w.Git("add", "-A")
	if cp := w.GitCommit("-m", "what was pending"); cp == "" {
		t.Error("the pending file is not linked")
	}
	w.NothingLeft()
}

func twoLinked(t *testing.T) (w *enginetest.World, first, second string) {
	t.Helper()
	w, first = enginetest.Linked(t)
	w.Turn("s2", "second", func() { w.Write("second.txt", "of another session\n") })
	w.Git("add", "-A")
	return w, first, w.GitCommit("-m", "second")
}

func TestRebase(t *testing.T) {
	t.Parallel()
	for name, sed := range map[string]string{"squash": "2s/^pick/squash/", "fixup": "2s/^pick/fixup/", "fixup -C": "2s/^pick/fixup -C/"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, first, second := twoLinked(t)
			w.Rebase(sed, "HEAD~2")
			w.Wants(first, second)
			w.NothingLeft()
		})
	}
	t.Run("order", func(t *testing.T) {
		t.Parallel()
		w, first, second := twoLinked(t)
		w.Rebase("1{h;d};2{G}", "HEAD~2")
		w.Wants(first)
		w.Git("reset", "-q", "--hard", "HEAD~1")
		w.Wants(second)
	})
	t.Run("reword", func(t *testing.T) {
		t.Parallel()
		w, first, _ := twoLinked(t)
		w.Rebase("1s/^pick/reword/;2d", "HEAD~2")
		w.Wants(first)
	})
	t.Run("split", func(t *testing.T) {
		t.Parallel()
		w, first, second := twoLinked(t)
		w.Rebase("1s/^pick/edit/", "HEAD~2")
		w.Git("reset", "-q", "HEAD~1")
		w.Git("add", "new.txt")
		w.GitCommit("-m", "first half")
		w.Wants(first)
		w.GitCommit("-a", "-m", "second half")
		w.Wants(first)
		w.Git("rebase", "--continue")
		w.Wants(second)
		w.NothingLeft()
	})
}

func TestConflictSolvedByTheAgentInARebase(t *testing.T) {
	t.Parallel()
	w, first := enginetest.Linked(t)
	w.Git("branch", "feature")
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Write("a.txt", "upstream\n")
	w.GitCommit("-a", "-m", "upstream")
	w.Git("switch", "-q", "feature")
	if _, err := w.TryGit("rebase", "-q", "main"); err == nil {
		t.Fatal("no conflict")
	}
	w.Turn("s2", "solve it", func() { w.Write("a.txt", "upstream\nagent in a\nboth\n") })
	w.Git("add", "-A")
	w.Git("-c", "core.editor=true", "rebase", "--continue")
	got := strings.Fields(w.Trailer("HEAD"))
	if len(got) != 2 || !slices.Contains(got, first) {
		t.Fatalf("trailers %v, want %s and a new one", got, first)
	}
	w.Turn("s2", "nothing", func() {})
	w.NothingLeft()
}

func TestPartOfAFile(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	base := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	w.Write("parts.txt", base)
	w.Git("add", "-A")
	w.GitCommit("-m", "base")
	agents := strings.Replace(base, "9\n", "nine by the agent\n", 1)
	w.Turn("s1", "write", func() { w.Write("parts.txt", agents) })
	both := strings.Replace(agents, "1\n", "one by hand\n", 1)
	w.Write("parts.txt", both)
	// The person's part alone.
	w.Stage("parts.txt", strings.Replace(base, "1\n", "one by hand\n", 1))
	w.GitCommit("-m", "by hand")
	w.Wants()
	if cp := w.GitCommit("-a", "-m", "the agent's"); cp == "" {
		t.Error("the agent's part is not linked")
	}
	w.NothingLeft()
}

func TestStash(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(w *enginetest.World){
		"nothing in between": func(*enginetest.World) {},
		"a commit in between": func(w *enginetest.World) {
			w.Write("b.txt", "by hand\n")
			w.GitCommit("-a", "-m", "by hand")
			w.Wants()
		},
		"the same file": func(w *enginetest.World) {
			w.Write("a.txt", "by hand\n"+w.Git("show", "HEAD:a.txt")+"\n")
			w.GitCommit("-a", "-m", "by hand")
			w.Wants()
		},
		"a turn in between": func(w *enginetest.World) { w.Turn("s1", "hm", func() {}) },
		"its own turn and commit": func(w *enginetest.World) {
			w.Turn("s1", "hm", func() { w.Write("other.txt", "agent again\n") })
			w.Git("add", "-A")
			if w.GitCommit("-m", "other") == "" {
				w.T.Error("the second turn is not linked")
			}
		},
		"another session's turn and commit": func(w *enginetest.World) {
			w.Turn("s2", "hm", func() { w.Write("other.txt", "agent two\n") })
			w.Git("add", "-A")
			if w.GitCommit("-m", "other") == "" {
				w.T.Error("the other session is not linked")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Turn("s1", "write", func() { w.Write("a.txt", w.Git("show", "HEAD:a.txt")+"\nagent in a\n") })
			w.Git("stash", "-q")
			between(w)
			if _, err := w.TryGit("stash", "pop", "-q"); err != nil {
				w.Write("a.txt", "by hand\nfirst\nagent in a\n")
				w.Git("add", "-A")
				w.Git("stash", "drop", "-q")
			}
			if cp := w.GitCommit("-a", "-m", "popped"); cp == "" {
				t.Error("not linked")
			}
			w.NothingLeft()
		})
	}
}

func TestPartCommittedWhileTheRestIsStashed(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() {
		w.Write("a.txt", "first\nagent in a\n")
		w.Write("b.txt", "first\nagent in b\n")
	})
	w.Git("stash", "push", "-q", "a.txt")
	if cp := w.GitCommit("-a", "-m", "b"); cp == "" {
		t.Error("b is not linked")
	}
	w.Git("stash", "pop", "-q")
	if cp := w.GitCommit("-a", "-m", "a"); cp == "" {
		t.Error("a is not linked")
	}
	w.NothingLeft()
}

func TestCherryPickBringsItsMessage(t *testing.T) {
	t.Parallel()
	w, first := enginetest.Linked(t)
	w.Git("switch", "-q", "-c", "other", "HEAD~1")
	w.Turn("s2", "else", func() { w.Write("pending.txt", "agent\n") })
	w.Git("cherry-pick", "main")
	w.Wants(first)
	w.Git("revert", "--no-edit", "HEAD")
	w.Wants()
	w.Git("add", "-A")
	if cp := w.GitCommit("-m", "what was pending"); cp == "" {
		t.Error("pending work was lost")
	}
	w.NothingLeft()
}

func TestMidTurnCommitListsTheFilesOfTheTurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Write("mine.txt", "by hand, before\n")
	w.Turn("s2", "earlier", func() { w.Write("theirs.txt", "of another session\n") })
	w.Prompt("s1", "write and commit")
	w.Write("agent.txt", "agent\n")
	w.Git("add", "-A")
	cp := w.GitCommit("-m", "all of it")
	meta := w.Metadata(cp, "0/metadata.json") + w.Metadata(cp, "1/metadata.json")
	if strings.Contains(meta, "mine.txt") || strings.Count(meta, `"agent.txt"`) != 1 || strings.Count(meta, `"theirs.txt"`) != 1 {
		t.Errorf("the slots say %s", meta)
	}
	w.Stop("s1")
	w.NothingLeft()
}

// A person's commit in mid-turn takes one of the turn's two edits, the next one
// the other.
func TestEditsOfTheTurnAreRememberedAcrossACommit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "write both")
	for _, name := range []string{"one.txt", "two.txt"} {
		w.Write(name, "agent "+name+"\n")
		w.Wrote("s1", name)
	}
	w.Write("mine.txt", "by hand\n")
	w.Git("add", "-A")
	first := w.CommitByPerson("-m", "one and mine", "one.txt", "mine.txt")
	if meta := w.Metadata(first, "0/metadata.json"); strings.Contains(meta, "mine.txt") || !strings.Contains(meta, "one.txt") {
		t.Errorf("the slot says %s", meta)
	}
	if w.CommitByPerson("-m", "two") == "" {
		t.Error("the second edit is not linked")
	}
	w.Stop("s1")
	w.NothingLeft()
}

func TestAmendWithoutTheTrailerTakesTheWorkAway(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Write("c.txt", "by hand\n")
	w.Git("add", "c.txt")
	w.GitCommit("-m", "by hand")
	w.Git("add", "-A")
	if err := os.Remove(w.GitPath("hooks/prepare-commit-msg")); err != nil {
		t.Fatal(err)
	}
	w.Git("commit", "-q", "--amend", "--no-edit")
	w.Wants()
	if files := w.State("s1").FilesTouched; len(files) > 0 {
		t.Errorf("pending: %v", files)
	}
	w.NothingLeft()
}

func TestWhatStoodInTheFileBeforeTheTurnIsThePersons(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	mine := strings.Replace(w.Read("a.txt"), "one\n", "one by hand\n", 1)
	w.Write("a.txt", mine)
	w.Turn("s1", "write", func() { w.Write("a.txt", strings.Replace(mine, "nine\n", "nine by the agent\n", 1)) })
	w.Stage("a.txt", mine)
	w.GitCommit("-m", "by hand")
	w.Wants()
	if w.GitCommit("-a", "-m", "the agent's") == "" {
		t.Error("the agent's line is not linked")
	}
	w.NothingLeft()
}

func TestWorkTakenBackByARewindIsNotInTheCommit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "create", func() { w.Write("new.txt", "agent one\n") })
	first := w.Points()[0].ID
	w.Turn("s2", "edit", func() { w.Write("new.txt", "agent one\nagent two\n") })
	w.Rewind(first)
	w.Git("add", "-A")
	if slots := w.Slots(w.GitCommit("-m", "the first")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("slots: %v", slots)
	}
	w.Fsck()
}

func TestAFileBothWroteInOneTurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s2", "write")
	w.Write("new.txt", "agent two\n")
	w.Wrote("s2", "new.txt")
	w.Turn("s1", "write", func() {
		w.Write("new.txt", "agent two\nagent one\n")
		w.Wrote("s1", "new.txt")
	})
	w.Git("add", "-A")
	if slots := w.Slots(w.GitCommit("-m", "of both")); len(slots) != 2 {
		t.Errorf("slots: %v", slots)
	}
	w.Stop("s2")
	w.NothingLeft()
}

func TestWorkTakenBackIsNoLongerPending(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	was := w.Read("a.txt")
	w.Turn("s1", "write", func() { w.Write("a.txt", was+"agent\n") })
	w.Turn("s1", "take it back", func() { w.Write("a.txt", was) })
	if files := w.State("s1").FilesTouched; len(files) > 0 {
		t.Errorf("pending after the agent took it back: %v", files)
	}
	w.Turn("s1", "write again", func() { w.Write("a.txt", was+"agent\n") })
	w.Git("checkout", "-q", "--", "a.txt")
	w.Turn("s1", "look", func() {})
	if files := w.State("s1").FilesTouched; len(files) > 0 {
		t.Errorf("pending after the person took it back: %v", files)
	}
	w.Write("a.txt", was+"by hand\n")
	w.GitCommit("-a", "-m", "by hand")
	w.Wants()
	w.NothingLeft()
}

func TestWhatAnotherSessionReplacedLeavesNoBranch(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "link", func() { w.Remove("b.txt"); w.Symlink("a.txt", "b.txt") })
	w.Turn("s2", "another link", func() { w.Remove("b.txt"); w.Symlink("nowhere", "b.txt") })
	if slots := w.Slots(w.GitCommit("-a", "-m", "the second's")); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("slots: %v", slots)
	}
	w.NothingLeft()
}

func TestAMergeThatGitMakesAloneIsNotLinked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Git("switch", "-q", "-c", "feature")
	w.Write("a.txt", strings.Replace(w.Read("a.txt"), "one\n", "theirs\n", 1))
	w.GitCommit("-a", "-m", "theirs")
	w.Git("switch", "-q", "main")
	w.Prompt("s1", "write, commit, merge")
	w.Write("a.txt", strings.Replace(w.Read("a.txt"), "nine\n", "agent\n", 1))
	w.Wrote("s1", "a.txt")
	if w.GitCommit("-a", "-m", "work") == "" {
		t.Error("the work is not linked")
	}
	w.Git("merge", "-q", "--no-edit", "feature")
	w.Wants()
	w.Stop("s1")
	w.NothingLeft()
}

// A session's removal of a file that HEAD no longer has says nothing about the
// file of that name that another session makes.
func TestASlotListsNoFileThatAnotherSessionMadeAnew(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s2", "create", func() { w.Write("new.txt", "agent two\n") })
	w.Git("add", "-A")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "past the hooks")
	w.Turn("s1", "remove it, write another", func() { w.Remove("new.txt"); w.Write("mine.txt", "agent one\n") })
	w.Git("reset", "-q", "--mixed", "HEAD~1")
	w.Turn("s2", "create it again", func() { w.Write("new.txt", "something else of agent two\n"); w.Wrote("s2", "new.txt") })
	w.Git("add", "-A")
	slots := w.Slots(w.GitCommit("-m", "both"))
	if got := slots["s1"]; slices.Contains(got, "new.txt") || !slices.Contains(got, "mine.txt") {
		t.Errorf("slots: %v", slots)
	}
}
