package transcript_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/strategy/engine"
	"entire/strategy/evidence"
	"entire/strategy/internal/enginetest"
	"entire/strategy/transcript"
)

// What nobody would do on purpose, and happens.

func TestSquashThatWasThrownAwayBringsNoLink(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Git("switch", "-q", "-c", "feature")
	w.Turn("s1", "one", func() { w.Write("one.txt", "agent one\n") })
	w.Git("add", "-A")
	w.GitCommit("-m", "one")
	w.Git("switch", "-q", "main")
	w.Git("merge", "-q", "--squash", "feature")
	w.Git("rm", "-q", "-f", "one.txt")
	w.Write("b.txt", "by hand\n")
	w.Git("add", "b.txt")
	w.GitCommit("-m", "by hand")
	w.Wants()
}

func TestHookThatRunsTwiceMakesOneLink(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	script, err := os.ReadFile(w.GitPath("hooks/prepare-commit-msg"))
	if err != nil {
		t.Fatal(err)
	}
	twice := strings.Replace(string(script), " exec ", " ", 1) + strings.TrimPrefix(string(script), "#!/bin/sh\n")
	testrepo.WriteScript(t, w.GitPath("hooks/prepare-commit-msg"), twice)
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.GitCommit("-a", "-m", "work")
	if got := strings.Fields(w.Trailer("HEAD")); len(got) != 1 || len(w.Slots(got[0])) != 1 {
		t.Errorf("trailers %v", got)
	}
	w.NothingLeft()
}

func TestMessageOfACommitThatWasGivenUp(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n"); w.Write("b.txt", "agent in b\n") })
	hook, err := os.ReadFile(w.GitPath("hooks/commit-msg"))
	if err != nil {
		t.Fatal(err)
	}
	testrepo.WriteScript(t, w.GitPath("hooks/commit-msg"), "#!/bin/sh\nexit 1\n")
	if _, err := w.TryGit("commit", "-q", "-m", "work", "a.txt"); err == nil {
		t.Fatal("not refused")
	}
	testrepo.WriteScript(t, w.GitPath("hooks/commit-msg"), string(hook))
	w.GitCommit("-a", "-F", w.GitPath("COMMIT_EDITMSG"))
	got := strings.Fields(w.Trailer("HEAD"))
	if len(got) != 1 || len(w.Slots(got[0])["s1"]) != 2 {
		t.Errorf("trailers %v", got)
	}
	w.NothingLeft()
}

func TestAutostashHoldsPendingWork(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func(w *enginetest.World){
		"turn in between": func(w *enginetest.World) { w.Turn("s1", "solve", func() { w.Write("b.txt", "solved by the agent\n") }) },
		"by hand":         func(w *enginetest.World) { w.Write("b.txt", "solved\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Git("switch", "-q", "-c", "feature")
			w.Write("b.txt", "mine\n")
			w.GitCommit("-a", "-m", "mine")
			w.Git("switch", "-q", "main")
			w.Write("b.txt", "theirs\n")
			w.GitCommit("-a", "-m", "theirs")
			w.Git("switch", "-q", "feature")
			w.Turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+"agent\n") })
			if _, err := w.TryGit("rebase", "-q", "--autostash", "main"); err == nil {
				t.Fatal("no conflict")
			}
			turn(w)
			w.Git("add", "b.txt")
			w.Git("-c", "core.editor=true", "rebase", "--continue")
			if !strings.Contains(w.Read("a.txt"), "agent") {
				t.Fatal("not popped")
			}
			if w.GitCommit("-a", "-m", "popped") == "" {
				t.Error("not linked")
			}
			w.NothingLeft()
		})
	}
}

// A stash is popped onto a commit that no hook saw; the next one takes something else.
func TestWorkThatIsBackIsCarriedForward(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() {
		w.Write("a.txt", w.Read("a.txt")+"agent\n")
		w.Write("b.txt", "agent, too\n")
		w.Write("c.txt", "and a file of its own\n")
	})
	w.Git("stash", "push", "-q", "--", "a.txt")
	w.Git("add", "b.txt")
	if w.GitCommit("-m", "one") == "" {
		t.Fatal("one is not linked")
	}
	w.Write("a.txt", "another first line\n"+w.Read("a.txt"))
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "unseen", "a.txt")
	w.Git("stash", "pop", "-q")
	w.Git("add", "c.txt")
	if w.GitCommit("-m", "two") == "" {
		t.Fatal("two is not linked")
	}
	cp := w.GitCommit("-a", "-m", "three")
	if cp == "" {
		t.Fatal("three is not linked")
	}
	if files := strings.Join(w.Slots(cp)["s1"], " "); files != "a.txt" {
		t.Errorf("the last commit's checkpoint %q lists %q", cp, files)
	}
	w.NothingLeft()
}

// Of what a stash has given back, half is committed: the rest is still to come.
func TestHalfOfWhatIsBackIsCommitted(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	was := w.Read("a.txt")
	w.Turn("s1", "write", func() {
		w.Write("a.txt", "the agent's first line\n"+was+"the agent's last line\n")
		w.Write("b.txt", "agent, too\n")
	})
	w.Git("stash", "push", "-q", "--", "a.txt")
	if w.GitCommit("-a", "-m", "one") == "" {
		t.Fatal("one is not linked")
	}
	w.Git("stash", "pop", "-q")
	whole := w.Read("a.txt")
	w.Write("a.txt", "the agent's first line\n"+was)
	w.Git("add", "a.txt")
	w.Write("a.txt", whole)
	if w.GitCommit("-m", "two") == "" {
		t.Fatal("two is not linked")
	}
	if w.GitCommit("-a", "-m", "three") == "" {
		t.Error("three is not linked")
	}
	w.NothingLeft()
}

// While a person amends in an editor, another event of an agent comes along.
func TestEventWhileAPersonAmends(t *testing.T) {
	t.Parallel()
	w, cp := enginetest.Linked(t)
	w.Prompt("s1", "more")
	w.Write("more.txt", "agent, by a shell\n")
	w.Git("add", "-A")
	file := w.GitPath("COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(w.Git("log", "-1", "--format=%B")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := engine.PrepareCommitMsg(w.Ctx, w.Engine(), file, "commit"); err != nil {
		t.Fatal(err)
	}
	w.Prompt("s2", "something else")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "-F", file)
	if err := engine.PostCommit(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	w.Wants(cp)
	if files := strings.Join(w.Slots(cp)["s1"], " "); !strings.Contains(files, "more.txt") {
		t.Errorf("the slot has %s", files)
	}
	w.Stop("s1")
	w.Stop("s2")
	w.NothingLeft()
}

func TestDamagedSessionBesideAnother(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Turn("s2", "write", func() { w.Write("a.txt", "agent\ntwo\n") })
	found, err := filepath.Glob(w.GitPath("entire-sessions/s1*.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, f := range found {
		if err := os.WriteFile(f, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if w.GitCommit("-a", "-m", "work") == "" {
		t.Error("not linked")
	}
}

func TestRootCommitOfOneOfTwoSessions(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Unborn()).Hooked()
	w.Turn("s1", "create", func() { w.Write("new.txt", "agent one\n") })
	first := w.Points()[0].ID
	w.Turn("s2", "edit", func() { w.Write("new.txt", "agent one\nagent two\n") })
	w.Rewind(first)
	w.Git("add", "-A")
	if slots := w.Slots(w.GitCommit("-m", "the first")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("slots: %v", slots)
	}
}

func TestBracesAreNobodysWork(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	was := w.Read("a.txt")
	w.Turn("s1", "write", func() { w.Write("a.txt", was+"func agent() {\n\treturn one\n}\n") })
	w.Stage("a.txt", "func person() {\n\treturn 2 + 2\n}\n"+was)
	w.GitCommit("-m", "a person's part")
	w.Wants()
	if w.GitCommit("-a", "-m", "the agent's") == "" {
		t.Error("the agent's part is not linked")
	}
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Write("a.txt", w.Read("a.txt")+"func other() {\n\treturn 3 + 3\n}\n")
	w.GitCommit("-a", "-m", "a person's own, after the agent's was discarded")
	w.Wants()
	w.NothingLeft()
}

func TestOldResetsCostNothing(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	for range 3 {
		w.Git("commit", "-q", "--no-verify", "--allow-empty", "-m", "undone")
		w.Git("reset", "-q", "--hard", "HEAD~1")
	}
	w.GitCommit("--allow-empty", "-m", "the first after them")
	if n := w.Started("commit", "-q", "--allow-empty", "-m", "a later one"); n > 0 {
		t.Errorf("%d processes", n)
	}
}

func TestPickCostsFewProcesses(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	const picks = 5
	for i := range picks {
		w.Write("b.txt", strings.Repeat("by hand\n", i+1))
		w.GitCommit("-a", "-m", "by hand")
	}
	w.Turn("s1", "write", func() { w.Write("pending.txt", "agent\n") })
	if n := w.Started("rebase", "-q", "--force-rebase", "HEAD~5"); n > 3*picks+1 {
		t.Errorf("%d processes for %d picks", n, picks)
	}
}

// A person's change of a file that many steps changed is compared with all of them.
func TestManyStepsAreReadAtOnce(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("d/e/f.txt", "agent\n") })
	for i := range 30 {
		w.Turn("s1", "more", func() { w.Write("d/e/f.txt", strings.Repeat("agent\n", i+2)) })
	}
	e := w.Engine()
	ev := evidence.Evidence(w.Ctx, e)
	spells, _ := ev.Own(transcript.SessionWork{Session: "s1", Base: git.MustOID(w.Git("rev-parse", "HEAD"))}, "d/e/f.txt")
	if len(spells) != 31 || spells[0].From.Mode != 0 || spells[0].To != spells[1].From {
		t.Errorf("%d changes: %v", len(spells), spells)
	}
	w.Write("d/e/f.txt", "by hand\n")
	w.Git("add", "-A")
	w.GitCommit("-m", "by hand")
	w.Wants()
}
