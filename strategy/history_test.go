package strategy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What people do to history after a commit was linked, and commits that are not
// just one more on top.

// linked is a world with a commit on the first one, of a session's new file and
// of its change to another.
func linked(t *testing.T) (w *world, cp string) {
	t.Helper()
	w = newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "write", func() {
		w.Write("new.txt", "agent one\nagent two\n")
		w.Write("a.txt", "agent in a\n")
	})
	w.Git("add", "-A")
	if cp = w.gitCommit("-m", "work"); cp == "" {
		t.Fatal("not linked")
	}
	return w, cp
}

// wants checks the trailers of HEAD, as git reads them.
func (w *world) wants(cps ...string) {
	w.t.Helper()
	w.hooksWentWell()
	got := strings.Fields(w.trailer("HEAD"))
	slices.Sort(got)
	slices.Sort(cps)
	if !slices.Equal(got, cps) {
		w.t.Errorf("%s: trailers %v, want %v\n%s", w.Git("log", "-1", "--format=%s"), got, cps, w.Git("log", "-1", "--format=%B"))
	}
}

func (w *world) nothingLeft() {
	w.t.Helper()
	if refs := w.shadows(); len(refs) > 0 {
		w.t.Errorf("left: %v", refs)
	}
	w.Fsck()
}

func TestAmendWithAMessageKeepsTheLink(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.gitCommit("--amend", "-m", "other words")
	w.wants(cp)
	w.Git("config", "alias.again", "commit --amend")
	w.Git("again", "-q", "-m", "through an alias")
	w.wants(cp)
	w.Write("more.txt", "by hand\n")
	w.Git("add", "-A")
	w.gitCommit("--am", "-m", "with more")
	w.wants(cp)
	w.gitCommit("--allow-empty", "-m", "an empty one is not an amend")
	w.wants()
	w.nothingLeft()
}

func TestAmendWithAMessageAndNewWork(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.turn("s1", "more", func() { w.Write("second.txt", "agent again\n") })
	w.Git("add", "-A")
	w.gitCommit("--amend", "-m", "both")
	w.wants(cp)
	if files := w.metadata(cp, "0/metadata.json"); !strings.Contains(files, "second.txt") || !strings.Contains(files, "new.txt") {
		t.Errorf("the slot says %s", files)
	}
	w.nothingLeft()
}

func TestAmendOfAnUnlinkedCommitWithWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Write("b.txt", "by hand\n")
	w.gitCommit("-a", "-m", "a person's")
	w.wants()
	w.turn("s1", "write", func() { w.Write("new.txt", "agent\n") })
	w.Git("add", "-A")
	if cp := w.gitCommit("--amend", "--no-edit"); cp == "" {
		t.Error("not linked")
	}
	w.nothingLeft()
}

func TestResetAndRedo(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.gitCommit("-m", "redone")
	w.wants(cp)

	w.Git("reset", "-q", "HEAD~1")
	w.Git("add", "new.txt")
	w.gitCommit("-m", "one half")
	w.wants(cp)
	w.Write("b.txt", "by hand\n")
	w.gitCommit("-m", "a person's, in between", "b.txt")
	w.wants()
	w.gitCommit("-a", "-m", "the other half")
	w.wants(cp)
	w.Write("new.txt", "agent one\nagent two\nby hand\n")
	w.gitCommit("-a", "-m", "a person's line after it")
	w.wants()
	w.nothingLeft()
}

func TestThreeCommitsRedoneAsOne(t *testing.T) {
	t.Parallel()
	w, first := linked(t)
	w.turn("s2", "second", func() { w.Write("second.txt", "of another session\n") })
	w.Git("add", "-A")
	second := w.gitCommit("-m", "second")
	w.Write("hand.txt", "by hand\n")
	w.Git("add", "-A")
	w.gitCommit("-m", "third")
	w.Git("reset", "-q", "--soft", "HEAD~3")
	w.gitCommit("-m", "all in one")
	w.wants(first, second)
	w.nothingLeft()
}

func TestRedoneWithMoreWork(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.turn("s1", "more", func() { w.Write("new.txt", "agent one\nagent two\nagent three\n") })
	w.Git("add", "-A")
	w.gitCommit("-m", "more")
	if got := strings.Fields(w.trailer("HEAD")); len(got) != 2 || got[1] != cp {
		t.Errorf("trailers %v, want a new one and %s", got, cp)
	}
	w.nothingLeft()
}

func TestDiscardedAndWrittenAgain(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.turn("s1", "once more", func() { w.Write("new.txt", "agent one\nagent two\n") })
	w.Git("add", "-A")
	w.gitCommit("-m", "again")
	if got := strings.Fields(w.trailer("HEAD")); len(got) != 1 || got[0] == cp {
		t.Errorf("trailers %v, want a new one alone", got)
	}
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Write("new.txt", "something else entirely\n")
	w.Git("add", "-A")
	w.gitCommit("-m", "a person's own")
	w.wants()
	w.nothingLeft()
}

func TestSquashMerge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Git("switch", "-q", "-c", "feature")
	var cps []string
	for _, name := range []string{"one", "two"} {
		w.turn("s1", name, func() { w.Write(name+".txt", "agent "+name+"\n") })
		w.Git("add", "-A")
		cps = append(cps, w.gitCommit("-m", name))
	}
	w.Git("switch", "-q", "main")
	w.Git("merge", "-q", "--squash", "feature")
	w.gitCommit("-m", "squashed")
	w.wants(cps...)
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Git("merge", "-q", "--squash", "feature")
	w.gitCommit("--no-edit")
	w.wants(cps...)
	w.nothingLeft()
}

func TestMergeIsLinkedForWhatNoSideHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Git("switch", "-q", "-c", "feature")
	w.Write("a.txt", "theirs\n")
	w.gitCommit("-a", "-m", "theirs")
	w.Git("switch", "-q", "main")
	w.Write("b.txt", "ours\n")
	w.gitCommit("-a", "-m", "ours, elsewhere")
	w.turn("s1", "write", func() { w.Write("pending.txt", "agent\n") })
	w.Git("merge", "-q", "--no-edit", "feature")
	w.wants()
	w.Write("a.txt", "ours\n")
	w.gitCommit("-m", "ours", "a.txt")
	w.Git("switch", "-q", "feature")
	w.Write("a.txt", "theirs again\n")
	w.gitCommit("-m", "theirs again", "a.txt")
	w.Git("switch", "-q", "main")
	if _, err := w.TryGit("merge", "-q", "feature"); err == nil {
		t.Fatal("no conflict")
	}
	w.turn("s1", "solve it", func() { w.Write("a.txt", "solved by the agent\n") })
	w.Git("add", "a.txt")
	if cp := w.gitCommit("--no-edit"); cp == "" {
		t.Error("the solved merge is not linked")
	} else if meta := w.metadata(cp, "0/metadata.json"); strings.Contains(meta, "b.txt") || !strings.Contains(meta, "a.txt") {
		t.Errorf("the slot says %s", meta)
	}
	w.Git("add", "-A")
	if cp := w.gitCommit("-m", "what was pending"); cp == "" {
		t.Error("the pending file is not linked")
	}
	w.nothingLeft()
}

// rebase runs `git rebase -i` with a script as the editor of the list.
func (w *world) rebase(sed string, args ...string) {
	w.t.Helper()
	w.Git(append([]string{"-c", "sequence.editor=sed -i -e '" + sed + "'", "-c", "core.editor=true", "rebase", "-q", "-i"}, args...)...)
}

func twoLinked(t *testing.T) (w *world, first, second string) {
	t.Helper()
	w, first = linked(t)
	w.turn("s2", "second", func() { w.Write("second.txt", "of another session\n") })
	w.Git("add", "-A")
	return w, first, w.gitCommit("-m", "second")
}

func TestRebase(t *testing.T) {
	t.Parallel()
	for name, sed := range map[string]string{"squash": "2s/^pick/squash/", "fixup": "2s/^pick/fixup/", "fixup -C": "2s/^pick/fixup -C/"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, first, second := twoLinked(t)
			w.rebase(sed, "HEAD~2")
			w.wants(first, second)
			w.nothingLeft()
		})
	}
	t.Run("order", func(t *testing.T) {
		t.Parallel()
		w, first, second := twoLinked(t)
		w.rebase("1{h;d};2{G}", "HEAD~2")
		w.wants(first)
		w.Git("reset", "-q", "--hard", "HEAD~1")
		w.wants(second)
	})
	t.Run("reword", func(t *testing.T) {
		t.Parallel()
		w, first, _ := twoLinked(t)
		w.rebase("1s/^pick/reword/;2d", "HEAD~2")
		w.wants(first)
	})
	t.Run("split", func(t *testing.T) {
		t.Parallel()
		w, first, second := twoLinked(t)
		w.rebase("1s/^pick/edit/", "HEAD~2")
		w.Git("reset", "-q", "HEAD~1")
		w.Git("add", "new.txt")
		w.gitCommit("-m", "first half")
		w.wants(first)
		w.gitCommit("-a", "-m", "second half")
		w.wants(first)
		w.Git("rebase", "--continue")
		w.wants(second)
		w.nothingLeft()
	})
}

func TestConflictSolvedByTheAgentInARebase(t *testing.T) {
	t.Parallel()
	w, first := linked(t)
	w.Git("branch", "feature")
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Write("a.txt", "upstream\n")
	w.gitCommit("-a", "-m", "upstream")
	w.Git("switch", "-q", "feature")
	if _, err := w.TryGit("rebase", "-q", "main"); err == nil {
		t.Fatal("no conflict")
	}
	w.turn("s2", "solve it", func() { w.Write("a.txt", "upstream\nagent in a\nboth\n") })
	w.Git("add", "-A")
	w.Git("-c", "core.editor=true", "rebase", "--continue")
	got := strings.Fields(w.trailer("HEAD"))
	if len(got) != 2 || !slices.Contains(got, first) {
		t.Fatalf("trailers %v, want %s and a new one", got, first)
	}
	w.turn("s2", "nothing", func() {})
	w.nothingLeft()
}

func TestPartOfAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	base := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	w.Write("parts.txt", base)
	w.Git("add", "-A")
	w.gitCommit("-m", "base")
	agents := strings.Replace(base, "9\n", "nine by the agent\n", 1)
	w.turn("s1", "write", func() { w.Write("parts.txt", agents) })
	both := strings.Replace(agents, "1\n", "one by hand\n", 1)
	w.Write("parts.txt", both)
	// The person's part alone.
	w.stage("parts.txt", strings.Replace(base, "1\n", "one by hand\n", 1))
	w.gitCommit("-m", "by hand")
	w.wants()
	if cp := w.gitCommit("-a", "-m", "the agent's"); cp == "" {
		t.Error("the agent's part is not linked")
	}
	w.nothingLeft()
}

// stage puts content into the index and leaves the file alone.
func (w *world) stage(path, content string) {
	w.t.Helper()
	file := filepath.Join(w.Home, "staged")
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
	oid := w.Git("hash-object", "-w", file)
	w.Git("update-index", "--cacheinfo", "100644,"+oid+","+path)
}

func TestStash(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(w *world){
		"nothing in between":  func(*world) {},
		"a commit in between": func(w *world) { w.Write("b.txt", "by hand\n"); w.gitCommit("-a", "-m", "by hand"); w.wants() },
		"the same file": func(w *world) {
			w.Write("a.txt", "by hand\n"+w.Git("show", "HEAD:a.txt")+"\n")
			w.gitCommit("-a", "-m", "by hand")
			w.wants()
		},
		"a turn in between": func(w *world) { w.turn("s1", "hm", func() {}) },
		"its own turn and commit": func(w *world) {
			w.turn("s1", "hm", func() { w.Write("other.txt", "agent again\n") })
			w.Git("add", "-A")
			if w.gitCommit("-m", "other") == "" {
				w.t.Error("the second turn is not linked")
			}
		},
		"another session's turn and commit": func(w *world) {
			w.turn("s2", "hm", func() { w.Write("other.txt", "agent two\n") })
			w.Git("add", "-A")
			if w.gitCommit("-m", "other") == "" {
				w.t.Error("the other session is not linked")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sourceFiles()).hooked()
			w.turn("s1", "write", func() { w.Write("a.txt", w.Git("show", "HEAD:a.txt")+"\nagent in a\n") })
			w.Git("stash", "-q")
			between(w)
			if _, err := w.TryGit("stash", "pop", "-q"); err != nil {
				w.Write("a.txt", "by hand\nfirst\nagent in a\n")
				w.Git("add", "-A")
				w.Git("stash", "drop", "-q")
			}
			if cp := w.gitCommit("-a", "-m", "popped"); cp == "" {
				t.Error("not linked")
			}
			w.nothingLeft()
		})
	}
}

func TestPartCommittedWhileTheRestIsStashed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "write", func() {
		w.Write("a.txt", "first\nagent in a\n")
		w.Write("b.txt", "first\nagent in b\n")
	})
	w.Git("stash", "push", "-q", "a.txt")
	if cp := w.gitCommit("-a", "-m", "b"); cp == "" {
		t.Error("b is not linked")
	}
	w.Git("stash", "pop", "-q")
	if cp := w.gitCommit("-a", "-m", "a"); cp == "" {
		t.Error("a is not linked")
	}
	w.nothingLeft()
}

func TestCherryPickBringsItsMessage(t *testing.T) {
	t.Parallel()
	w, first := linked(t)
	w.Git("switch", "-q", "-c", "other", "HEAD~1")
	w.turn("s2", "else", func() { w.Write("pending.txt", "agent\n") })
	w.Git("cherry-pick", "main")
	w.wants(first)
	w.Git("revert", "--no-edit", "HEAD")
	w.wants()
	w.Git("add", "-A")
	if cp := w.gitCommit("-m", "what was pending"); cp == "" {
		t.Error("pending work was lost")
	}
	w.nothingLeft()
}

func TestMidTurnCommitListsTheFilesOfTheTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Write("mine.txt", "by hand, before\n")
	w.turn("s2", "earlier", func() { w.Write("theirs.txt", "of another session\n") })
	w.prompt("s1", "write and commit")
	w.Write("agent.txt", "agent\n")
	w.Git("add", "-A")
	cp := w.gitCommit("-m", "all of it")
	meta := w.metadata(cp, "0/metadata.json") + w.metadata(cp, "1/metadata.json")
	if strings.Contains(meta, "mine.txt") || strings.Count(meta, `"agent.txt"`) != 1 || strings.Count(meta, `"theirs.txt"`) != 1 {
		t.Errorf("the slots say %s", meta)
	}
	w.stop("s1")
	w.nothingLeft()
}

// commitByPerson is gitCommit with somebody at a terminal.
func (w *world) commitByPerson(args ...string) string {
	w.t.Helper()
	w.Env = append(w.Env, personThere+"=1")
	defer func() { w.Env = w.Env[:len(w.Env)-1] }()
	return w.gitCommit(args...)
}

// A person's commit in mid-turn takes one of the turn's two edits, the next one
// the other.
func TestEditsOfTheTurnAreRememberedAcrossACommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.prompt("s1", "write both")
	for _, name := range []string{"one.txt", "two.txt"} {
		w.Write(name, "agent "+name+"\n")
		w.wrote("s1", name)
	}
	w.Write("mine.txt", "by hand\n")
	w.Git("add", "-A")
	first := w.commitByPerson("-m", "one and mine", "one.txt", "mine.txt")
	if meta := w.metadata(first, "0/metadata.json"); strings.Contains(meta, "mine.txt") || !strings.Contains(meta, "one.txt") {
		t.Errorf("the slot says %s", meta)
	}
	if w.commitByPerson("-m", "two") == "" {
		t.Error("the second edit is not linked")
	}
	w.stop("s1")
	w.nothingLeft()
}

func TestAmendWithoutTheTrailerTakesTheWorkAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Write("c.txt", "by hand\n")
	w.Git("add", "c.txt")
	w.gitCommit("-m", "by hand")
	w.Git("add", "-A")
	if err := os.Remove(w.GitPath("hooks/prepare-commit-msg")); err != nil {
		t.Fatal(err)
	}
	w.Git("commit", "-q", "--amend", "--no-edit")
	w.wants()
	if files := w.state("s1").FilesTouched; len(files) > 0 {
		t.Errorf("pending: %v", files)
	}
	w.nothingLeft()
}

func TestWhatStoodInTheFileBeforeTheTurnIsThePersons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	mine := strings.Replace(w.Read("a.txt"), "one\n", "one by hand\n", 1)
	w.Write("a.txt", mine)
	w.turn("s1", "write", func() { w.Write("a.txt", strings.Replace(mine, "nine\n", "nine by the agent\n", 1)) })
	w.stage("a.txt", mine)
	w.gitCommit("-m", "by hand")
	w.wants()
	if w.gitCommit("-a", "-m", "the agent's") == "" {
		t.Error("the agent's line is not linked")
	}
	w.nothingLeft()
}

func TestWorkTakenBackByARewindIsNotInTheCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "create", func() { w.Write("new.txt", "agent one\n") })
	first := w.points()[0].ID
	w.turn("s2", "edit", func() { w.Write("new.txt", "agent one\nagent two\n") })
	w.rewind(first)
	w.Git("add", "-A")
	if slots := w.slots(w.gitCommit("-m", "the first")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("slots: %v", slots)
	}
	w.Fsck()
}

func TestAFileBothWroteInOneTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.prompt("s2", "write")
	w.Write("new.txt", "agent two\n")
	w.wrote("s2", "new.txt")
	w.turn("s1", "write", func() {
		w.Write("new.txt", "agent two\nagent one\n")
		w.wrote("s1", "new.txt")
	})
	w.Git("add", "-A")
	if slots := w.slots(w.gitCommit("-m", "of both")); len(slots) != 2 {
		t.Errorf("slots: %v", slots)
	}
	w.stop("s2")
	w.nothingLeft()
}

func TestWorkTakenBackIsNoLongerPending(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	was := w.Read("a.txt")
	w.turn("s1", "write", func() { w.Write("a.txt", was+"agent\n") })
	w.turn("s1", "take it back", func() { w.Write("a.txt", was) })
	if files := w.state("s1").FilesTouched; len(files) > 0 {
		t.Errorf("pending after the agent took it back: %v", files)
	}
	w.turn("s1", "write again", func() { w.Write("a.txt", was+"agent\n") })
	w.Git("checkout", "-q", "--", "a.txt")
	w.turn("s1", "look", func() {})
	if files := w.state("s1").FilesTouched; len(files) > 0 {
		t.Errorf("pending after the person took it back: %v", files)
	}
	w.Write("a.txt", was+"by hand\n")
	w.gitCommit("-a", "-m", "by hand")
	w.wants()
	w.nothingLeft()
}

func TestWhatAnotherSessionReplacedLeavesNoBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "link", func() { w.Remove("b.txt"); w.Symlink("a.txt", "b.txt") })
	w.turn("s2", "another link", func() { w.Remove("b.txt"); w.Symlink("nowhere", "b.txt") })
	if slots := w.slots(w.gitCommit("-a", "-m", "the second's")); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("slots: %v", slots)
	}
	w.nothingLeft()
}

func TestAMergeThatGitMakesAloneIsNotLinked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Git("switch", "-q", "-c", "feature")
	w.Write("a.txt", strings.Replace(w.Read("a.txt"), "one\n", "theirs\n", 1))
	w.gitCommit("-a", "-m", "theirs")
	w.Git("switch", "-q", "main")
	w.prompt("s1", "write, commit, merge")
	w.Write("a.txt", strings.Replace(w.Read("a.txt"), "nine\n", "agent\n", 1))
	w.wrote("s1", "a.txt")
	if w.gitCommit("-a", "-m", "work") == "" {
		t.Error("the work is not linked")
	}
	w.Git("merge", "-q", "--no-edit", "feature")
	w.wants()
	w.stop("s1")
	w.nothingLeft()
}

// A session's removal of a file that HEAD no longer has says nothing about the
// file of that name that another session makes.
func TestASlotListsNoFileThatAnotherSessionMadeAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s2", "create", func() { w.Write("new.txt", "agent two\n") })
	w.Git("add", "-A")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "past the hooks")
	w.turn("s1", "remove it, write another", func() { w.Remove("new.txt"); w.Write("mine.txt", "agent one\n") })
	w.Git("reset", "-q", "--mixed", "HEAD~1")
	w.turn("s2", "create it again", func() { w.Write("new.txt", "something else of agent two\n"); w.wrote("s2", "new.txt") })
	w.Git("add", "-A")
	slots := w.slots(w.gitCommit("-m", "both"))
	if got := slots["s1"]; slices.Contains(got, "new.txt") || !slices.Contains(got, "mine.txt") {
		t.Errorf("slots: %v", slots)
	}
}
