package strategy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/git"
	"entire/internal/testrepo"
)

// What nobody would do on purpose, and happens.

func TestSquashThatWasThrownAwayBringsNoLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Git("switch", "-q", "-c", "feature")
	w.turn("s1", "one", func() { w.Write("one.txt", "agent one\n") })
	w.Git("add", "-A")
	w.gitCommit("-m", "one")
	w.Git("switch", "-q", "main")
	w.Git("merge", "-q", "--squash", "feature")
	w.Git("rm", "-q", "-f", "one.txt")
	w.Write("b.txt", "by hand\n")
	w.Git("add", "b.txt")
	w.gitCommit("-m", "by hand")
	w.wants()
}

func TestHookThatRunsTwiceMakesOneLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	script, err := os.ReadFile(w.GitPath("hooks/prepare-commit-msg"))
	if err != nil {
		t.Fatal(err)
	}
	twice := strings.Replace(string(script), " exec ", " ", 1) + strings.TrimPrefix(string(script), "#!/bin/sh\n")
	testrepo.WriteScript(t, w.GitPath("hooks/prepare-commit-msg"), twice)
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.gitCommit("-a", "-m", "work")
	if got := strings.Fields(w.trailer("HEAD")); len(got) != 1 || len(w.slots(got[0])) != 1 {
		t.Errorf("trailers %v", got)
	}
	w.nothingLeft()
}

func TestMessageOfACommitThatWasGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n"); w.Write("b.txt", "agent in b\n") })
	hook, err := os.ReadFile(w.GitPath("hooks/commit-msg"))
	if err != nil {
		t.Fatal(err)
	}
	testrepo.WriteScript(t, w.GitPath("hooks/commit-msg"), "#!/bin/sh\nexit 1\n")
	if _, err := w.TryGit("commit", "-q", "-m", "work", "a.txt"); err == nil {
		t.Fatal("not refused")
	}
	testrepo.WriteScript(t, w.GitPath("hooks/commit-msg"), string(hook))
	w.gitCommit("-a", "-F", w.GitPath("COMMIT_EDITMSG"))
	got := strings.Fields(w.trailer("HEAD"))
	if len(got) != 1 || len(w.slots(got[0])["s1"]) != 2 {
		t.Errorf("trailers %v", got)
	}
	w.nothingLeft()
}

func TestAutostashHoldsPendingWork(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func(w *world){
		"turn in between": func(w *world) { w.turn("s1", "solve", func() { w.Write("b.txt", "solved by the agent\n") }) },
		"by hand":         func(w *world) { w.Write("b.txt", "solved\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sourceFiles()).hooked()
			w.Git("switch", "-q", "-c", "feature")
			w.Write("b.txt", "mine\n")
			w.gitCommit("-a", "-m", "mine")
			w.Git("switch", "-q", "main")
			w.Write("b.txt", "theirs\n")
			w.gitCommit("-a", "-m", "theirs")
			w.Git("switch", "-q", "feature")
			w.turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+"agent\n") })
			if _, err := w.TryGit("rebase", "-q", "--autostash", "main"); err == nil {
				t.Fatal("no conflict")
			}
			turn(w)
			w.Git("add", "b.txt")
			w.Git("-c", "core.editor=true", "rebase", "--continue")
			if !strings.Contains(w.Read("a.txt"), "agent") {
				t.Fatal("not popped")
			}
			if w.gitCommit("-a", "-m", "popped") == "" {
				t.Error("not linked")
			}
			w.nothingLeft()
		})
	}
}

// A stash is popped onto a commit that no hook saw; the next one takes something else.
func TestWorkThatIsBackIsCarriedForward(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "write", func() {
		w.Write("a.txt", w.Read("a.txt")+"agent\n")
		w.Write("b.txt", "agent, too\n")
		w.Write("c.txt", "and a file of its own\n")
	})
	w.Git("stash", "push", "-q", "--", "a.txt")
	w.Git("add", "b.txt")
	if w.gitCommit("-m", "one") == "" {
		t.Fatal("one is not linked")
	}
	w.Write("a.txt", "another first line\n"+w.Read("a.txt"))
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "unseen", "a.txt")
	w.Git("stash", "pop", "-q")
	w.Git("add", "c.txt")
	if w.gitCommit("-m", "two") == "" {
		t.Fatal("two is not linked")
	}
	cp := w.gitCommit("-a", "-m", "three")
	if cp == "" {
		t.Fatal("three is not linked")
	}
	if files := strings.Join(w.slots(cp)["s1"], " "); files != "a.txt" {
		t.Errorf("the last commit's checkpoint %q lists %q", cp, files)
	}
	w.nothingLeft()
}

// Of what a stash has given back, half is committed: the rest is still to come.
func TestHalfOfWhatIsBackIsCommitted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	was := w.Read("a.txt")
	w.turn("s1", "write", func() {
		w.Write("a.txt", "the agent's first line\n"+was+"the agent's last line\n")
		w.Write("b.txt", "agent, too\n")
	})
	w.Git("stash", "push", "-q", "--", "a.txt")
	if w.gitCommit("-a", "-m", "one") == "" {
		t.Fatal("one is not linked")
	}
	w.Git("stash", "pop", "-q")
	whole := w.Read("a.txt")
	w.Write("a.txt", "the agent's first line\n"+was)
	w.Git("add", "a.txt")
	w.Write("a.txt", whole)
	if w.gitCommit("-m", "two") == "" {
		t.Fatal("two is not linked")
	}
	if w.gitCommit("-a", "-m", "three") == "" {
		t.Error("three is not linked")
	}
	w.nothingLeft()
}

// While a person amends in an editor, another event of an agent comes along.
func TestEventWhileAPersonAmends(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.prompt("s1", "more")
	w.Write("more.txt", "agent, by a shell\n")
	w.Git("add", "-A")
	file := w.GitPath("COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(w.Git("log", "-1", "--format=%B")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := w.engine().PrepareCommitMsg(w.ctx, file, "commit"); err != nil {
		t.Fatal(err)
	}
	w.prompt("s2", "something else")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "-F", file)
	if err := w.engine().PostCommit(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.wants(cp)
	if files := strings.Join(w.slots(cp)["s1"], " "); !strings.Contains(files, "more.txt") {
		t.Errorf("the slot has %s", files)
	}
	w.stop("s1")
	w.stop("s2")
	w.nothingLeft()
}

func TestDamagedSessionBesideAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.turn("s2", "write", func() { w.Write("a.txt", "agent\ntwo\n") })
	found, err := filepath.Glob(w.GitPath("entire-sessions/s1*.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, f := range found {
		if err := os.WriteFile(f, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if w.gitCommit("-a", "-m", "work") == "" {
		t.Error("not linked")
	}
}

func TestRootCommitOfOneOfTwoSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Unborn()).hooked()
	w.turn("s1", "create", func() { w.Write("new.txt", "agent one\n") })
	first := w.points()[0].ID
	w.turn("s2", "edit", func() { w.Write("new.txt", "agent one\nagent two\n") })
	w.rewind(first)
	w.Git("add", "-A")
	if slots := w.slots(w.gitCommit("-m", "the first")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("slots: %v", slots)
	}
}

func TestBracesAreNobodysWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	was := w.Read("a.txt")
	w.turn("s1", "write", func() { w.Write("a.txt", was+"func agent() {\n\treturn one\n}\n") })
	w.stage("a.txt", "func person() {\n\treturn 2 + 2\n}\n"+was)
	w.gitCommit("-m", "a person's part")
	w.wants()
	if w.gitCommit("-a", "-m", "the agent's") == "" {
		t.Error("the agent's part is not linked")
	}
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Write("a.txt", w.Read("a.txt")+"func other() {\n\treturn 3 + 3\n}\n")
	w.gitCommit("-a", "-m", "a person's own, after the agent's was discarded")
	w.wants()
	w.nothingLeft()
}

// started is how many processes of git a git command started.
func (w *world) started(args ...string) int {
	w.t.Helper()
	trace := filepath.Join(w.Home, "trace")
	w.Env = append(w.Env, "GIT_TRACE2_EVENT="+trace)
	w.Git(args...)
	w.Env = w.Env[:len(w.Env)-1]
	said, err := os.ReadFile(trace)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.Remove(trace); err != nil {
		w.t.Fatal(err)
	}
	w.hooksWentWell()
	return strings.Count(string(said), `"event":"start"`) - 1
}

func TestOldResetsCostNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	for range 3 {
		w.Git("commit", "-q", "--no-verify", "--allow-empty", "-m", "undone")
		w.Git("reset", "-q", "--hard", "HEAD~1")
	}
	w.gitCommit("--allow-empty", "-m", "the first after them")
	if n := w.started("commit", "-q", "--allow-empty", "-m", "a later one"); n > 0 {
		t.Errorf("%d processes", n)
	}
}

func TestPickCostsFewProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	const picks = 5
	for i := range picks {
		w.Write("b.txt", strings.Repeat("by hand\n", i+1))
		w.gitCommit("-a", "-m", "by hand")
	}
	w.turn("s1", "write", func() { w.Write("pending.txt", "agent\n") })
	if n := w.started("rebase", "-q", "--force-rebase", "HEAD~5"); n > 3*picks+1 {
		t.Errorf("%d processes for %d picks", n, picks)
	}
}

// A person's change of a file that many steps changed is compared with all of them.
func TestManyStepsAreReadAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "write", func() { w.Write("d/e/f.txt", "agent\n") })
	for i := range 30 {
		w.turn("s1", "more", func() { w.Write("d/e/f.txt", strings.Repeat("agent\n", i+2)) })
	}
	e := w.engine()
	ev := e.evidence(w.ctx)
	spells, _ := ev.own(work{session: "s1", base: git.MustOID(w.Git("rev-parse", "HEAD"))}, "d/e/f.txt")
	if len(spells) != 31 || spells[0].from.mode != 0 || spells[0].to != spells[1].from {
		t.Errorf("%d changes: %v", len(spells), spells)
	}
	w.Write("d/e/f.txt", "by hand\n")
	w.Git("add", "-A")
	w.gitCommit("-m", "by hand")
	w.wants()
}
