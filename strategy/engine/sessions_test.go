package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"entire/agent"
	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/session"
	"entire/strategy/engine"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/turn"
	"entire/strategy/worktree"
)

func TestTwoSessionsCommitTogether(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "first of one", func() { w.Write("one.txt", "by session one\n") })
	w.Turn("s2", "first of two", func() { w.Write("two.txt", "by session two\n") })
	w.Turn("s1", "second of one", func() { w.Write("one.txt", "by session one\nagain\n") })
	if a, b := w.Touched("s1"), w.Touched("s2"); a != "one.txt" || b != "two.txt" {
		t.Fatalf("touched %q and %q", a, b)
	}
	restore.EnsureSetup(w.Ctx, w.Engine())
	before := w.MetadataCommits()
	w.Git("add", "-A")
	cp := w.GitCommit("-m", "both")
	if got := w.MetadataCommits(); got != before+1 {
		t.Errorf("%d metadata commits for one commit", got-before)
	}
	slots := w.Slots(cp)
	if len(slots) != 2 || strings.Join(slots["s1"], " ") != "one.txt" || strings.Join(slots["s2"], " ") != "two.txt" {
		t.Errorf("slots: %v", slots)
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	w.Fsck()
}

func TestTwoSessionsCommitOneAfterTheOther(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"one.txt", "two.txt"}, {"two.txt", "one.txt"}} {
		t.Run(order[0], func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Turn("s1", "one", func() { w.Write("one.txt", "by session one\n") })
			w.Turn("s2", "two", func() { w.Write("two.txt", "by session two\n") })
			owner := map[string]string{"one.txt": "s1", "two.txt": "s2"}
			for _, file := range order {
				w.Git("add", file)
				cp := w.GitCommit("-m", file)
				if cp == "" {
					t.Fatalf("%s is not linked", file)
				}
				if slots := w.Slots(cp); len(slots) != 1 || strings.Join(slots[owner[file]], " ") != file {
					t.Errorf("slots of %s: %v", file, slots)
				}
			}
			if got := w.Shadows(); len(got) != 0 {
				t.Errorf("left: %v", got)
			}
			w.Fsck()
		})
	}
}

// TestSessionsAtTheSameTimeKeepApart has two turns open at once; the transcripts say who
// wrote what.
func TestSessionsAtTheSameTimeKeepApart(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "one")
	w.Prompt("s2", "two")
	w.Write("one.txt", "by session one\n")
	w.Wrote("s1", "one.txt")
	w.Write("two.txt", "by session two\n")
	w.Wrote("s2", "two.txt")
	w.Stop("s1")
	w.Stop("s2")
	if a, b := w.Touched("s1"), w.Touched("s2"); a != "one.txt" || b != "two.txt" {
		t.Errorf("touched %q and %q", a, b)
	}
	w.Git("add", "one.txt")
	if slots := w.Slots(w.GitCommit("-m", "one")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("slots of the first: %v", slots)
	}
	w.Git("add", "two.txt")
	if slots := w.Slots(w.GitCommit("-m", "two")); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("slots of the second: %v", slots)
	}
}

func TestEightProcessesStopAtOnce(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	const n = 8
	for i := range n {
		w.Prompt(fmt.Sprintf("s%d", i), fmt.Sprintf("prompt %d", i))
	}
	for i := range n {
		w.Write(fmt.Sprintf("f%d.txt", i), fmt.Sprintf("written by session %d\n", i))
		w.Wrote(fmt.Sprintf("s%d", i), fmt.Sprintf("f%d.txt", i))
	}
	var wg sync.WaitGroup
	for i := range n {
		cmd := w.Process(agent.TurnEnd, fmt.Sprintf("s%d", i), "")
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("stop: %v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	refs := w.Shadows()
	if len(refs) != 1 {
		t.Fatalf("shadows: %v", refs)
	}
	var sessions []string
	for _, sid := range strings.Fields(w.Git("log", "--format=%(trailers:key=Entire-Session,valueonly)", refs[0])) {
		sessions = append(sessions, sid)
	}
	slices.Sort(sessions)
	if len(sessions) != n || len(slices.Compact(sessions)) != n {
		t.Errorf("steps of %v", sessions)
	}
	tree := w.Git("ls-tree", "-r", "--name-only", refs[0])
	for i := range n {
		if !strings.Contains(tree, fmt.Sprintf(".entire/metadata/s%d/full.jsonl", i)) {
			t.Errorf("the transcript of session %d is not in the last step", i)
		}
		if st := w.StateOf(fmt.Sprintf("s%d", i)); st.Phase != "idle" || st.CheckpointCount != 1 {
			t.Errorf("state of session %d: %+v", i, st)
		}
	}
	w.Fsck()
	w.Hooked()
	w.Git("add", "-A")
	if slots := w.Slots(w.GitCommit("-m", "all")); len(slots) != n {
		t.Errorf("slots: %v", slots)
	}
	w.Fsck()
}

func TestLinkedWorktreesDoNotMeet(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	v := w.Elsewhere("other")
	w.Turn("s1", "here", func() { w.Write("a.txt", "main worktree\n") })
	v.Turn("s2", "there", func() { v.Write("a.txt", "linked worktree\n") })
	if got := w.Shadows(); len(got) != 2 {
		t.Fatalf("shadows: %v", got)
	}
	if p := v.Points(); len(p) != 1 || p[0].SessionID != "s2" {
		t.Errorf("points of the linked worktree: %+v", p)
	}
	before := w.Touched("s1")
	cp := v.GitCommit("-a", "-m", "there")
	if slots := w.Slots(cp); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("slots: %v", slots)
	}
	if w.Touched("s1") != before || len(w.Shadows()) != 1 {
		t.Errorf("the other worktree's session was touched: %q, %v", w.Touched("s1"), w.Shadows())
	}
	if p := w.Points(); len(p) != 1 || p[0].SessionID != "s1" {
		t.Errorf("points of the main worktree: %+v", p)
	}
	if cp := w.GitCommit("-a", "-m", "here"); w.Slots(cp)["s1"] == nil {
		t.Errorf("slots: %v", w.Slots(cp))
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	w.Fsck()
}

// A session with uncommitted work stays in its worktree, also when its agent goes to another one.
func TestSessionStaysInItsWorktree(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	v := w.Elsewhere("other")
	w.Turn("s1", "here", func() { w.Write("a.txt", "main worktree\n") })
	begin := agent.Event{Type: agent.TurnStart, AgentType: agent.AgentTypeClaudeCode, SessionID: enginetest.SessionID(t, "s1"), Prompt: "there"}
	if _, err := engine.Handle(w.Ctx, v.Engine(), begin); err != nil {
		t.Fatal(err)
	}
	if got := w.Touched("s1"); got != "a.txt" {
		t.Errorf("touched: %q", got)
	}
	if st := w.StateOf("s1"); st.WorktreePath != w.Dir || st.Phase != session.PhaseActive {
		t.Errorf("%s in %s", st.Phase, st.WorktreePath)
	}
}

func TestStopTwiceMakesOneStep(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Stop("s1")
	w.Stop("s1")
	if got := w.StepsOn(w.Shadows()[0]); len(got) != 1 {
		t.Errorf("steps: %v", got)
	}
	if st := w.StateOf("s1"); st.CheckpointCount != 1 {
		t.Errorf("count: %d", st.CheckpointCount)
	}
}

func TestTurnThatChangesNothingMakesNoStep(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "what is this?", func() {})
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("shadows: %v", got)
	}
}

func TestStopWithoutAPrompt(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Write("a.txt", "agent\n")
	w.Stop("s1")
	w.Stop("s1")
	if p := w.Points(); len(p) != 1 {
		t.Fatalf("points: %+v", p)
	}
	if cp := w.GitCommit("-a", "-m", "work"); cp == "" {
		t.Error("not linked")
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func TestStopWithoutAPromptClaimsNobodyElsesWork(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "one", func() { w.Write("one.txt", "by session one\n") })
	w.Write("two.txt", "by session two\n")
	w.Stop("s2")
	if got := w.Touched("s2"); got != "two.txt" {
		t.Errorf("touched: %q", got)
	}
}

func TestSessionEndClosesTheTurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "write")
	w.Write("a.txt", "agent\n")
	w.Event(agent.SessionEnd, "s1", nil)
	st := w.StateOf("s1")
	if st.Phase != "ended" || st.EndedAt == nil || w.Touched("s1") != "a.txt" {
		t.Errorf("state: %+v", st)
	}
	if p := w.Points(); len(p) != 1 {
		t.Errorf("points: %+v", p)
	}
	w.Event(agent.SessionEnd, "never-seen", nil)
	if sessionstate.PathExists(filepath.Join(w.GitPath("entire-sessions"), "never-seen.json")) {
		t.Error("the end of a session nobody knew made a state")
	}
	if cp := w.GitCommit("-a", "-m", "work"); cp == "" {
		t.Error("not linked")
	}
}

// TestRestartedAgentClosesTheTurn: what a person does after the agent was killed
// and started again is not the agent's; a compaction in mid-turn ends nothing.
func TestRestartedAgentClosesTheTurn(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{"resume": "a.txt", "startup": "a.txt", "compact": "a.txt b.txt"} {
		w := enginetest.NewWorld(t, enginetest.SourceFiles())
		w.Prompt("s1", "one")
		w.Write("a.txt", "agent\n")
		w.Event(agent.SessionStart, "s1", func(ev *agent.Event) { ev.Source = source })
		w.Write("b.txt", "afterwards\n")
		w.Prompt("s1", "two")
		w.Stop("s1")
		if got := w.Touched("s1"); got != want {
			t.Errorf("%s: touched %q, want %q", source, got, want)
		}
	}
}

// TestIdleAgentClosesTheTurn: Esc ends a turn without an event. What a person writes after the agent has said that it
// waits is theirs; nothing ends that has ended, that a subagent goes on with or that a later prompt began.
func TestIdleAgentClosesTheTurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Event(agent.Idle, "never-seen", nil)
	if sessionstate.PathExists(filepath.Join(w.GitPath("entire-sessions"), "never-seen.json")) {
		t.Error("a session nobody knew has a state")
	}
	w.Prompt("s1", "one")
	w.Write("a.txt", "agent\n")
	w.Event(agent.Idle, "s1", nil)
	w.Write("b.txt", "a person\n")
	w.Event(agent.Idle, "s1", nil)
	if phase := w.State("s1").Phase; phase != session.PhaseIdle {
		t.Errorf("the session is %s", phase)
	}
	told := w.Now
	w.Prompt("s1", "two")
	w.Event(agent.Idle, "s1", func(ev *agent.Event) { ev.Time = told })
	w.Write("c.txt", "agent\n")
	w.Stop("s1")
	if got, want := w.Touched("s1"), "a.txt c.txt"; got != want {
		t.Errorf("touched %q, want %q", got, want)
	}
}

// TestPromptOvertakesTheSessionsStart: Copilot CLI runs the hook of a session's start beside that of its first
// prompt. A start that was told before the turn began does not end the turn.
func TestPromptOvertakesTheSessionsStart(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "one", func() { w.Write("a.txt", "agent\n") })
	told := w.Now
	w.Prompt("s1", "two")
	w.Event(agent.SessionStart, "s1", func(ev *agent.Event) { ev.Source, ev.Time = "resume", told })
	w.Write("b.txt", "agent\n")
	w.Prompt("s1", "three")
	w.Stop("s1")
	if got, want := w.Touched("s1"), "a.txt b.txt"; got != want {
		t.Errorf("touched %q, want %q", got, want)
	}
}

func TestPersonsStepBetweenTurns(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "one", func() { w.Write("a.txt", "agent\n") })
	w.Write("b.txt", "person\n")
	w.Turn("s1", "two", func() { w.Write("a.txt", "agent again\n") })
	ref := w.Shadows()[0]
	if got := w.Git("log", "--reverse", "--format=%(trailers:key=Entire-Step,valueonly,separator=)|%(trailers:key=Entire-Session,valueonly,separator=)", ref); got != "|s1\nhuman|\n|s1" {
		t.Errorf("steps: %q", got)
	}
	if got := w.Touched("s1"); got != "a.txt" {
		t.Errorf("touched: %q", got)
	}
	if p := w.Points(); len(p) != 2 {
		t.Errorf("points: %+v", p)
	}
}

func TestRevertByHandIsAPersonsStep(t *testing.T) {
	t.Parallel()
	for _, cached := range []bool{true, false} {
		w := enginetest.NewWorld(t, enginetest.SourceFiles())
		before := w.Read("a.txt")
		w.Turn("s1", "one", func() { w.Write("a.txt", "agent\n") })
		w.Write("a.txt", before)
		if !cached {
			if err := os.Remove(worktree.CachePath(w.Engine())); err != nil {
				t.Fatal(err)
			}
		}
		w.Turn("s1", "two", func() { w.Write("b.txt", "agent\n") })
		if got := w.StepsOn(w.Shadows()[0]); len(got) != 3 || got[1] != "changes before the turn" {
			t.Errorf("cache %v: steps %v", cached, got)
		}
		if got := w.Touched("s1"); !strings.Contains(got, "b.txt") {
			t.Errorf("touched: %q", got)
		}
	}
}

// TestStepsFollowHead moves HEAD under a session's uncommitted work, without a
// hook, in every way there is.
func TestStepsFollowHead(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(*enginetest.World){
		"switch":         func(w *enginetest.World) { w.Git("switch", "-q", "side") },
		"new branch":     func(w *enginetest.World) { w.Git("switch", "-q", "-c", "fresh") },
		"detach":         func(w *enginetest.World) { w.Git("switch", "-q", "--detach", "side") },
		"merge":          func(w *enginetest.World) { w.Git("merge", "-q", "--ff-only", "side") },
		"foreign commit": func(w *enginetest.World) { w.Write("p.txt", "p\n"); w.Git("add", "p.txt"); w.CommitUnhooked("p.txt") },
	} {
		for _, when := range []string{"an event comes first", "the commit comes first", "in mid-turn"} {
			t.Run(name+", "+when, func(t *testing.T) {
				t.Parallel()
				w := enginetest.NewWorld(t, enginetest.SourceFiles())
				w.Git("switch", "-q", "-c", "side")
				w.Write("side.txt", "side\n")
				w.Commit("side")
				w.Git("switch", "-q", "main")
				w.Hooked()
				switch when {
				case "in mid-turn":
					w.Prompt("s1", "write")
					w.Write("a.txt", "agent\n")
					move(w)
					w.Stop("s1")
				default:
					w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
					move(w)
				}
				if when == "an event comes first" {
					w.Prompt("s1", "go on")
					w.Stop("s1")
					if p := w.Points(); len(p) != 1 {
						t.Errorf("points: %+v", p)
					}
				}
				cp := w.GitCommit("-m", "work", "a.txt")
				if cp == "" {
					t.Fatal("not linked")
				}
				if got := w.Slots(cp); strings.Join(got["s1"], " ") != "a.txt" {
					t.Errorf("slots: %v", got)
				}
				if got := w.Shadows(); len(got) != 0 {
					t.Errorf("left: %v", got)
				}
				w.Fsck()
			})
		}
	}
}

// TestHeadMovedUnderTwoSessions: what one of them commits must not cost the
// other its steps.
func TestHeadMovedUnderTwoSessions(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Hooked()
	w.Turn("s1", "one", func() { w.Write("one.txt", "by session one\n") })
	w.Turn("s2", "two", func() { w.Write("two.txt", "by session two\n") })
	w.Write("p.txt", "person\n")
	w.Git("add", "p.txt")
	w.CommitUnhooked("p.txt")
	w.Git("add", "one.txt")
	if slots := w.Slots(w.GitCommit("-m", "one")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("slots of the first: %v", slots)
	}
	w.Git("add", "two.txt")
	cp := w.GitCommit("-m", "two")
	if cp == "" {
		t.Fatal("the other session's work is not linked")
	}
	if slots := w.Slots(cp); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("slots of the second: %v", slots)
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func TestAnothersBranchIsNotOverwritten(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Git("switch", "-q", "-c", "side")
	w.Write("side.txt", "side\n")
	w.Commit("side")
	w.Turn("s2", "on side", func() { w.Write("two.txt", "by session two\n") })
	theirs := w.Git("rev-parse", w.Shadows()[0])
	w.Git("stash", "-q", "-u") // work that is not in the worktree stays where it was made
	w.Git("switch", "-q", "main")
	w.Turn("s1", "on main", func() { w.Write("one.txt", "by session one\n") })
	if len(w.Shadows()) != 2 {
		t.Fatalf("shadows: %v", w.Shadows())
	}
	w.Git("switch", "-q", "side")
	w.Git("stash", "pop", "-q")
	w.Turn("s1", "on side", func() { w.Write("three.txt", "later\n") })
	w.Git("merge-base", "--is-ancestor", theirs, "refs/heads/"+strings.TrimPrefix(w.Shadows()[0], "refs/heads/"))
	orphans := w.Git("for-each-ref", "--format=%(refname)", "refs/entire/orphans/")
	if strings.Count(orphans, "\n") != 0 || orphans == "" {
		t.Errorf("set aside: %q", orphans)
	}
	report, err := maintain.Status(w.Ctx, w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(report.Problems, func(p turn.Problem) bool { return p.Kind == "set-aside" }) {
		t.Errorf("problems: %+v", report.Problems)
	}
	w.Fsck()
}

func TestBranchOfForeignMakeIsNotMoved(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Prompt("s1", "write")
	w.Stop("s1")
	name := worktree.ShadowRef(w.Engine(), mustHead(w.Engine(), t))
	w.Git("update-ref", name, "HEAD") // somebody's own branch, by chance of that name
	w.Git("commit", "-q", "--allow-empty", "-m", "on")
	w.Turn("s1", "again", func() { w.Write("a.txt", "agent\n") })
	if _, err := w.TryGit("rev-parse", "--verify", "-q", name); err != nil {
		t.Error("a branch of somebody else's was moved or removed")
	}
}

func mustHead(s *sessionstate.Env, t *testing.T) git.OID {
	t.Helper()
	c, ok, err := s.Repo.Reader(t.Context()).CommitOf("HEAD")
	if err != nil || !ok {
		t.Fatalf("HEAD: %v, %v", ok, err)
	}
	return c.OID
}

func TestStaleCacheHidesNoWork(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "one", func() { w.Write("one.txt", "by session one\n") })
	cache := enginetest.ReadFile(t, worktree.CachePath(w.Engine()))
	w.Turn("s2", "two", func() { w.Write("two.txt", "by session two\n") })
	// The first session's process was slow to write what it knew.
	if err := os.WriteFile(worktree.CachePath(w.Engine()), []byte(cache), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Git("add", "two.txt")
	if cp := w.GitCommit("-m", "two"); cp == "" {
		t.Error("not linked")
	}
}

func TestCacheOfAPrunedStepIsNotTrusted(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "one", func() { w.Write("one.txt", "by session one\n"); w.Write("a.txt", "edited\n") })
	w.Git("update-ref", "-d", w.Shadows()[0])
	w.Git("reflog", "expire", "--expire=now", "--all")
	w.Git("gc", "-q", "--prune=now")
	w.Turn("s1", "two", func() { w.Write("two.txt", "more\n") })
	w.Fsck()
	if got := w.FilesOf(w.Shadows()[0]); !slices.Contains(got, "one.txt") {
		t.Errorf("the step holds %v", got)
	}
	w.Git("cat-file", "-e", w.Shadows()[0]+":one.txt")
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(*testing.T) *enginetest.World{
		"sha-256":          func(t *testing.T) *enginetest.World { return enginetest.NewWorld(t, testrepo.SHA256()) },
		"separate git dir": func(t *testing.T) *enginetest.World { return enginetest.NewWorld(t, testrepo.SeparateGitDir()) },
		"odd directory name": func(t *testing.T) *enginetest.World {
			return enginetest.NewWorld(t, testrepo.Named("sp ace\n\"quote'"))
		},
		"not UTF-8":       func(t *testing.T) *enginetest.World { return enginetest.NewWorld(t, testrepo.Named("caf\xe9")) },
		"linked worktree": func(t *testing.T) *enginetest.World { return enginetest.NewWorld(t).Elsewhere("linked") },
		"submodule": func(t *testing.T) *enginetest.World {
			w := enginetest.NewWorld(t)
			return &enginetest.World{Repo: w.Submodule("sub"), T: t, Now: w.Now, Ctx: w.Ctx, Live: w.Live}
		},
		"detached": func(t *testing.T) *enginetest.World {
			w := enginetest.NewWorld(t)
			w.Git("switch", "-q", "--detach")
			return w
		},
		"subdirectory": func(t *testing.T) *enginetest.World {
			w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"deep/er/x.txt": "x\n"}))
			return w
		},
		"unborn": func(t *testing.T) *enginetest.World { return enginetest.NewWorld(t, testrepo.Unborn()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := make(t)
			if name == "subdirectory" {
				w.Repo = w.In("deep/er")
			}
			before := w.Points()
			if len(before) != 0 {
				t.Fatalf("points before anything happened: %+v", before)
			}
			w.Turn("s1", "first", func() { w.Write("agent.txt", "first version\n") })
			w.Turn("s1", "second", func() { w.Write("agent.txt", "second version\n"); w.Write("more.txt", "more\n") })
			p := w.Points()
			if len(p) != 2 {
				t.Fatalf("points: %+v", p)
			}
			out := w.Rewind(p[1].ID)
			if got := w.Read("agent.txt"); got != "first version\n" || w.Exists("more.txt") {
				t.Errorf("after the rewind: %q, more.txt %v; kept %v, warnings %v", got, w.Exists("more.txt"), out.Kept, out.Warnings)
			}
			w.Git("add", "-A")
			if cp := w.CommitHooked("work"); cp == "" {
				t.Error("not linked")
			}
			if got := w.Shadows(); len(got) != 0 {
				t.Errorf("left: %v", got)
			}
			w.Fsck()
		})
	}
}
