package strategy

import (
	"errors"
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
)

func TestTwoSessionsCommitTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "first of one", func() { w.Write("one.txt", "by session one\n") })
	w.turn("s2", "first of two", func() { w.Write("two.txt", "by session two\n") })
	w.turn("s1", "second of one", func() { w.Write("one.txt", "by session one\nagain\n") })
	if a, b := w.touched("s1"), w.touched("s2"); a != "one.txt" || b != "two.txt" {
		t.Fatalf("touched %q and %q", a, b)
	}
	w.engine().EnsureSetup(w.ctx)
	before := w.metadataCommits()
	w.Git("add", "-A")
	cp := w.gitCommit("-m", "both")
	if got := w.metadataCommits(); got != before+1 {
		t.Errorf("%d metadata commits for one commit", got-before)
	}
	slots := w.slots(cp)
	if len(slots) != 2 || strings.Join(slots["s1"], " ") != "one.txt" || strings.Join(slots["s2"], " ") != "two.txt" {
		t.Errorf("slots: %v", slots)
	}
	if got := w.shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	w.Fsck()
}

func TestTwoSessionsCommitOneAfterTheOther(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"one.txt", "two.txt"}, {"two.txt", "one.txt"}} {
		t.Run(order[0], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sourceFiles()).hooked()
			w.turn("s1", "one", func() { w.Write("one.txt", "by session one\n") })
			w.turn("s2", "two", func() { w.Write("two.txt", "by session two\n") })
			owner := map[string]string{"one.txt": "s1", "two.txt": "s2"}
			for _, file := range order {
				w.Git("add", file)
				cp := w.gitCommit("-m", file)
				if cp == "" {
					t.Fatalf("%s is not linked", file)
				}
				if slots := w.slots(cp); len(slots) != 1 || strings.Join(slots[owner[file]], " ") != file {
					t.Errorf("slots of %s: %v", file, slots)
				}
			}
			if got := w.shadows(); len(got) != 0 {
				t.Errorf("left: %v", got)
			}
			w.Fsck()
		})
	}
}

// TestSessionsAtTheSameTime has two turns open at once; the transcripts say who
// wrote what.
func TestSessionsAtTheSameTimeKeepApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.prompt("s1", "one")
	w.prompt("s2", "two")
	w.Write("one.txt", "by session one\n")
	w.wrote("s1", "one.txt")
	w.Write("two.txt", "by session two\n")
	w.wrote("s2", "two.txt")
	w.stop("s1")
	w.stop("s2")
	if a, b := w.touched("s1"), w.touched("s2"); a != "one.txt" || b != "two.txt" {
		t.Errorf("touched %q and %q", a, b)
	}
	w.Git("add", "one.txt")
	if slots := w.slots(w.gitCommit("-m", "one")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("slots of the first: %v", slots)
	}
	w.Git("add", "two.txt")
	if slots := w.slots(w.gitCommit("-m", "two")); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("slots of the second: %v", slots)
	}
}

// wrote adds the record of an edit tool to a transcript.
func (w *world) wrote(sid, path string) {
	w.t.Helper()
	w.line(sid, fmt.Sprintf(`{"type":"assistant","uuid":"e-%s","message":{"id":"m-%s","role":"assistant","content":[{"type":"tool_use","id":"t-%s","name":"Write","input":{"file_path":%q,"content":"x"}}]}}`,
		path, path, path, w.Path(path)))
	w.line(sid, fmt.Sprintf(`{"type":"user","uuid":"r-%s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t-%s","content":"ok"}]}}`, path, path))
}

// line appends a raw line to a transcript.
func (w *world) line(sid, text string) {
	w.t.Helper()
	f, err := os.OpenFile(w.transcript(sid), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text + "\n"); err != nil {
		w.t.Fatal(err)
	}
}

func TestEightProcessesStopAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	const n = 8
	for i := range n {
		w.prompt(fmt.Sprintf("s%d", i), fmt.Sprintf("prompt %d", i))
	}
	for i := range n {
		w.Write(fmt.Sprintf("f%d.txt", i), fmt.Sprintf("written by session %d\n", i))
		w.wrote(fmt.Sprintf("s%d", i), fmt.Sprintf("f%d.txt", i))
	}
	var wg sync.WaitGroup
	for i := range n {
		cmd := w.process(agent.TurnEnd, fmt.Sprintf("s%d", i), "")
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("stop: %v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	refs := w.shadows()
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
		if st := w.stateOf(fmt.Sprintf("s%d", i)); st.Phase != "idle" || st.CheckpointCount != 1 {
			t.Errorf("state of session %d: %+v", i, st)
		}
	}
	w.Fsck()
	w.hooked()
	w.Git("add", "-A")
	if slots := w.slots(w.gitCommit("-m", "all")); len(slots) != n {
		t.Errorf("slots: %v", slots)
	}
	w.Fsck()
}

func TestLinkedWorktreesDoNotMeet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	v := w.elsewhere("other")
	w.turn("s1", "here", func() { w.Write("a.txt", "main worktree\n") })
	v.turn("s2", "there", func() { v.Write("a.txt", "linked worktree\n") })
	if got := w.shadows(); len(got) != 2 {
		t.Fatalf("shadows: %v", got)
	}
	if p := v.points(); len(p) != 1 || p[0].SessionID != "s2" {
		t.Errorf("points of the linked worktree: %+v", p)
	}
	before := w.touched("s1")
	cp := v.gitCommit("-a", "-m", "there")
	if slots := w.slots(cp); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("slots: %v", slots)
	}
	if w.touched("s1") != before || len(w.shadows()) != 1 {
		t.Errorf("the other worktree's session was touched: %q, %v", w.touched("s1"), w.shadows())
	}
	if p := w.points(); len(p) != 1 || p[0].SessionID != "s1" {
		t.Errorf("points of the main worktree: %+v", p)
	}
	if cp := w.gitCommit("-a", "-m", "here"); w.slots(cp)["s1"] == nil {
		t.Errorf("slots: %v", w.slots(cp))
	}
	if got := w.shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	w.Fsck()
}

func TestSessionInAnotherWorktreeIsAConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	v := w.elsewhere("other")
	w.turn("s1", "here", func() { w.Write("a.txt", "main worktree\n") })
	_, err := v.engine().Handle(w.ctx, agent.Event{Type: agent.TurnStart, AgentType: agent.AgentTypeClaudeCode, SessionID: sessionID(t, "s1"), Prompt: "there"})
	var conflict *SessionIDConflictError
	if !errors.As(err, &conflict) || conflict.WorktreePath != w.Dir {
		t.Fatalf("error: %v", err)
	}
	if got := w.touched("s1"); got != "a.txt" {
		t.Errorf("touched: %q", got)
	}
}

func TestStopTwiceMakesOneStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.stop("s1")
	w.stop("s1")
	if got := w.stepsOn(w.shadows()[0]); len(got) != 1 {
		t.Errorf("steps: %v", got)
	}
	if st := w.stateOf("s1"); st.CheckpointCount != 1 {
		t.Errorf("count: %d", st.CheckpointCount)
	}
}

func TestTurnThatChangesNothingMakesNoStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "what is this?", func() {})
	if got := w.shadows(); len(got) != 0 {
		t.Errorf("shadows: %v", got)
	}
}

func TestStopWithoutAPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Write("a.txt", "agent\n")
	w.stop("s1")
	w.stop("s1")
	if p := w.points(); len(p) != 1 {
		t.Fatalf("points: %+v", p)
	}
	if cp := w.gitCommit("-a", "-m", "work"); cp == "" {
		t.Error("not linked")
	}
	if got := w.shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func TestStopWithoutAPromptClaimsNobodyElsesWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "one", func() { w.Write("one.txt", "by session one\n") })
	w.Write("two.txt", "by session two\n")
	w.stop("s2")
	if got := w.touched("s2"); got != "two.txt" {
		t.Errorf("touched: %q", got)
	}
}

func TestSessionEndClosesTheTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.prompt("s1", "write")
	w.Write("a.txt", "agent\n")
	w.event(agent.SessionEnd, "s1", nil)
	st := w.stateOf("s1")
	if st.Phase != "ended" || st.EndedAt == nil || w.touched("s1") != "a.txt" {
		t.Errorf("state: %+v", st)
	}
	if p := w.points(); len(p) != 1 {
		t.Errorf("points: %+v", p)
	}
	w.event(agent.SessionEnd, "never-seen", nil)
	if exists(filepath.Join(w.GitPath("entire-sessions"), "never-seen.json")) {
		t.Error("the end of a session nobody knew made a state")
	}
	if cp := w.gitCommit("-a", "-m", "work"); cp == "" {
		t.Error("not linked")
	}
}

// TestRestartedAgentClosesTheTurn: what a person does after the agent was killed
// and started again is not the agent's; a compaction in mid-turn ends nothing.
func TestRestartedAgentClosesTheTurn(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{"resume": "a.txt", "startup": "a.txt", "compact": "a.txt b.txt"} {
		w := newWorld(t, sourceFiles())
		w.prompt("s1", "one")
		w.Write("a.txt", "agent\n")
		w.event(agent.SessionStart, "s1", func(ev *agent.Event) { ev.Source = source })
		w.Write("b.txt", "afterwards\n")
		w.prompt("s1", "two")
		w.stop("s1")
		if got := w.touched("s1"); got != want {
			t.Errorf("%s: touched %q, want %q", source, got, want)
		}
	}
}

func TestPersonsStepBetweenTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "one", func() { w.Write("a.txt", "agent\n") })
	w.Write("b.txt", "person\n")
	w.turn("s1", "two", func() { w.Write("a.txt", "agent again\n") })
	ref := w.shadows()[0]
	if got := w.Git("log", "--reverse", "--format=%(trailers:key=Entire-Step,valueonly,separator=)|%(trailers:key=Entire-Session,valueonly,separator=)", ref); got != "|s1\nhuman|\n|s1" {
		t.Errorf("steps: %q", got)
	}
	if got := w.touched("s1"); got != "a.txt" {
		t.Errorf("touched: %q", got)
	}
	if p := w.points(); len(p) != 2 {
		t.Errorf("points: %+v", p)
	}
}

func TestRevertByHandIsAPersonsStep(t *testing.T) {
	t.Parallel()
	for _, cached := range []bool{true, false} {
		w := newWorld(t, sourceFiles())
		before := w.Read("a.txt")
		w.turn("s1", "one", func() { w.Write("a.txt", "agent\n") })
		w.Write("a.txt", before)
		if !cached {
			if err := os.Remove(w.engine().cachePath()); err != nil {
				t.Fatal(err)
			}
		}
		w.turn("s1", "two", func() { w.Write("b.txt", "agent\n") })
		if got := w.stepsOn(w.shadows()[0]); len(got) != 3 || got[1] != "changes before the turn" {
			t.Errorf("cache %v: steps %v", cached, got)
		}
		if got := w.touched("s1"); !strings.Contains(got, "b.txt") {
			t.Errorf("touched: %q", got)
		}
	}
}

// TestStepsFollowHead moves HEAD under a session's uncommitted work, without a
// hook, in every way there is.
func TestStepsFollowHead(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(*world){
		"switch":         func(w *world) { w.Git("switch", "-q", "side") },
		"new branch":     func(w *world) { w.Git("switch", "-q", "-c", "fresh") },
		"detach":         func(w *world) { w.Git("switch", "-q", "--detach", "side") },
		"merge":          func(w *world) { w.Git("merge", "-q", "--ff-only", "side") },
		"foreign commit": func(w *world) { w.Write("p.txt", "p\n"); w.Git("add", "p.txt"); w.commitUnhooked("p.txt") },
	} {
		for _, when := range []string{"an event comes first", "the commit comes first", "in mid-turn"} {
			t.Run(name+", "+when, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, sourceFiles())
				w.Git("switch", "-q", "-c", "side")
				w.Write("side.txt", "side\n")
				w.Commit("side")
				w.Git("switch", "-q", "main")
				w.hooked()
				switch when {
				case "in mid-turn":
					w.prompt("s1", "write")
					w.Write("a.txt", "agent\n")
					move(w)
					w.stop("s1")
				default:
					w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
					move(w)
				}
				if when == "an event comes first" {
					w.prompt("s1", "go on")
					w.stop("s1")
					if p := w.points(); len(p) != 1 {
						t.Errorf("points: %+v", p)
					}
				}
				cp := w.gitCommit("-m", "work", "a.txt")
				if cp == "" {
					t.Fatal("not linked")
				}
				if got := w.slots(cp); strings.Join(got["s1"], " ") != "a.txt" {
					t.Errorf("slots: %v", got)
				}
				if got := w.shadows(); len(got) != 0 {
					t.Errorf("left: %v", got)
				}
				w.Fsck()
			})
		}
	}
}

// commitUnhooked is a commit by a git that knows nothing of us.
func (w *world) commitUnhooked(paths ...string) {
	w.t.Helper()
	w.Git(append([]string{"-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "unhooked"}, paths...)...)
}

// TestHeadMovedUnderTwoSessions: what one of them commits must not cost the
// other its steps.
func TestHeadMovedUnderTwoSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.hooked()
	w.turn("s1", "one", func() { w.Write("one.txt", "by session one\n") })
	w.turn("s2", "two", func() { w.Write("two.txt", "by session two\n") })
	w.Write("p.txt", "person\n")
	w.Git("add", "p.txt")
	w.commitUnhooked("p.txt")
	w.Git("add", "one.txt")
	if slots := w.slots(w.gitCommit("-m", "one")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("slots of the first: %v", slots)
	}
	w.Git("add", "two.txt")
	cp := w.gitCommit("-m", "two")
	if cp == "" {
		t.Fatal("the other session's work is not linked")
	}
	if slots := w.slots(cp); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("slots of the second: %v", slots)
	}
	if got := w.shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func TestAnothersBranchIsNotOverwritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.Git("switch", "-q", "-c", "side")
	w.Write("side.txt", "side\n")
	w.Commit("side")
	w.turn("s2", "on side", func() { w.Write("two.txt", "by session two\n") })
	theirs := w.Git("rev-parse", w.shadows()[0])
	w.Git("stash", "-q", "-u") // work that is not in the worktree stays where it was made
	w.Git("switch", "-q", "main")
	w.turn("s1", "on main", func() { w.Write("one.txt", "by session one\n") })
	if len(w.shadows()) != 2 {
		t.Fatalf("shadows: %v", w.shadows())
	}
	w.Git("switch", "-q", "side")
	w.Git("stash", "pop", "-q")
	w.turn("s1", "on side", func() { w.Write("three.txt", "later\n") })
	w.Git("merge-base", "--is-ancestor", theirs, "refs/heads/"+strings.TrimPrefix(w.shadows()[0], "refs/heads/"))
	orphans := w.Git("for-each-ref", "--format=%(refname)", "refs/entire/orphans/")
	if strings.Count(orphans, "\n") != 0 || orphans == "" {
		t.Errorf("set aside: %q", orphans)
	}
	report, err := w.engine().Status(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(report.Problems, func(p Problem) bool { return p.Kind == "set-aside" }) {
		t.Errorf("problems: %+v", report.Problems)
	}
	w.Fsck()
}

func TestBranchOfForeignMakeIsNotMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.prompt("s1", "write")
	w.stop("s1")
	name := w.engine().shadowRef(w.engine().mustHead(t))
	w.Git("update-ref", name, "HEAD") // somebody's own branch, by chance of that name
	w.Git("commit", "-q", "--allow-empty", "-m", "on")
	w.turn("s1", "again", func() { w.Write("a.txt", "agent\n") })
	if _, err := w.TryGit("rev-parse", "--verify", "-q", name); err != nil {
		t.Error("a branch of somebody else's was moved or removed")
	}
}

func (s *ManualCommitStrategy) mustHead(t *testing.T) git.OID {
	t.Helper()
	c, ok, err := s.repo.Reader(t.Context()).CommitOf("HEAD")
	if err != nil || !ok {
		t.Fatalf("HEAD: %v, %v", ok, err)
	}
	return c.OID
}

func TestStaleCacheHidesNoWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "one", func() { w.Write("one.txt", "by session one\n") })
	cache := readFile(t, w.engine().cachePath())
	w.turn("s2", "two", func() { w.Write("two.txt", "by session two\n") })
	// The first session's process was slow to write what it knew.
	if err := os.WriteFile(w.engine().cachePath(), []byte(cache), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Git("add", "two.txt")
	if cp := w.gitCommit("-m", "two"); cp == "" {
		t.Error("not linked")
	}
}

func TestCacheOfAPrunedStepIsNotTrusted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "one", func() { w.Write("one.txt", "by session one\n"); w.Write("a.txt", "edited\n") })
	w.Git("update-ref", "-d", w.shadows()[0])
	w.Git("reflog", "expire", "--expire=now", "--all")
	w.Git("gc", "-q", "--prune=now")
	w.turn("s1", "two", func() { w.Write("two.txt", "more\n") })
	w.Fsck()
	if got := w.filesOf(w.shadows()[0]); !slices.Contains(got, "one.txt") {
		t.Errorf("the step holds %v", got)
	}
	w.Git("cat-file", "-e", w.shadows()[0]+":one.txt")
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(*testing.T) *world{
		"sha-256":            func(t *testing.T) *world { return newWorld(t, testrepo.SHA256()) },
		"separate git dir":   func(t *testing.T) *world { return newWorld(t, testrepo.SeparateGitDir()) },
		"odd directory name": func(t *testing.T) *world { return newWorld(t, testrepo.Named("sp ace\n\"quote'")) },
		"not UTF-8":          func(t *testing.T) *world { return newWorld(t, testrepo.Named("caf\xe9")) },
		"linked worktree":    func(t *testing.T) *world { return newWorld(t).elsewhere("linked") },
		"submodule": func(t *testing.T) *world {
			w := newWorld(t)
			return &world{Repo: w.Submodule("sub"), t: t, now: w.now, ctx: w.ctx, live: w.live}
		},
		"detached": func(t *testing.T) *world { w := newWorld(t); w.Git("switch", "-q", "--detach"); return w },
		"subdirectory": func(t *testing.T) *world {
			w := newWorld(t, testrepo.Files(map[string]string{"deep/er/x.txt": "x\n"}))
			return w
		},
		"unborn": func(t *testing.T) *world { return newWorld(t, testrepo.Unborn()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := make(t)
			if name == "subdirectory" {
				w.Repo = w.In("deep/er")
			}
			before := w.points()
			if len(before) != 0 {
				t.Fatalf("points before anything happened: %+v", before)
			}
			w.turn("s1", "first", func() { w.Write("agent.txt", "first version\n") })
			w.turn("s1", "second", func() { w.Write("agent.txt", "second version\n"); w.Write("more.txt", "more\n") })
			p := w.points()
			if len(p) != 2 {
				t.Fatalf("points: %+v", p)
			}
			out := w.rewind(p[1].ID)
			if got := w.Read("agent.txt"); got != "first version\n" || w.Exists("more.txt") {
				t.Errorf("after the rewind: %q, more.txt %v; kept %v, warnings %v", got, w.Exists("more.txt"), out.Kept, out.Warnings)
			}
			w.Git("add", "-A")
			if cp := w.commit("work"); cp == "" {
				t.Error("not linked")
			}
			if got := w.shadows(); len(got) != 0 {
				t.Errorf("left: %v", got)
			}
			w.Fsck()
		})
	}
}
