package autocommit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/internal/testrepo"
	"entire/session"
	"entire/strategy/autocommit"
	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
)

// numbered is a file of n numbered lines, some of them replaced.
func numbered(n int, replaced map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if s, ok := replaced[i]; ok {
			b.WriteString(s + "\n")
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestAutoCommitsATurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	before := w.Head()
	w.Turn("s1", "Please write b?", func() { w.Write("b.txt", "agent\n"); w.Remove("a.txt") })
	if got := w.Subjects(); !strings.HasPrefix(got, "Write b\n") {
		t.Fatalf("history: %q", got)
	}
	if got := w.Git("rev-parse", "HEAD^"); got != before {
		t.Errorf("the commit stands on %s, not %s", got, before)
	}
	if got := w.Committed("HEAD"); got != "a.txt b.txt" {
		t.Errorf("committed: %s", got)
	}
	cp := w.Trailer("HEAD")
	if want := "Write b\n\nEntire-Checkpoint: " + cp; w.Git("log", "-1", "--format=%B") != want {
		t.Errorf("message: %q", w.Git("log", "-1", "--format=%B"))
	}
	if got := w.GitStatus(); got != "" {
		t.Errorf("git status: %q", got)
	}
	sum, meta := w.Root(cp), w.Slot(cp)
	if sum.Strategy != condense.StrategyAuto || meta.Strategy != condense.StrategyAuto || sum.CheckpointsCount != 1 || meta.IsTask || meta.TurnID == "" {
		t.Errorf("summary %+v\nsession %+v", sum, meta)
	}
	for name, path := range map[string]string{"prompt.txt": sum.Sessions[0].Prompt, "context.md": sum.Sessions[0].Context,
		"content_hash.txt": sum.Sessions[0].ContentHash, "full.jsonl": sum.Sessions[0].Transcript} {
		if !strings.HasSuffix(path, "/0/"+name) || w.Metadata(cp, "0/"+name) == "" {
			t.Errorf("%s is listed as %q", name, path)
		}
	}
	if got := w.Git("log", "-1", "--format=%B", "entire/checkpoints/v1"); strings.Contains(got, "Ephemeral-branch") || !strings.Contains(got, "Entire-Strategy: auto-commit") {
		t.Errorf("message of the record: %q", got)
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	w.Turn("s1", "only talk", func() {})
	if got := w.Trailer("HEAD"); got != cp {
		t.Error("a turn without changes was committed")
	}
	w.HooksWentWell()
	w.Fsck()
}

func TestAutoCommitEveryTurnHasItsOwnPart(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	w.Turn("s1", "first", func() { w.Write("one", "1\n") })
	w.Turn("s1", "second", func() { w.Write("two", "2\n") })
	first, second := w.Slot(w.Trailer("HEAD^")), w.Slot(w.Trailer("HEAD"))
	if first.CheckpointTranscriptStart != 0 || second.CheckpointTranscriptStart != 3 {
		t.Errorf("parts begin at %d and %d", first.CheckpointTranscriptStart, second.CheckpointTranscriptStart)
	}
	if got := strings.Join(second.FilesTouched, " "); got != "two" {
		t.Errorf("second: %s", got)
	}
}

// TestAutoCommitStoresThePromptsOfItsTurns: of the turn alone, or of those whose work has
// waited for the commit. The state counts the checkpoints.
func TestAutoCommitStoresThePromptsOfItsTurns(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	prompts := func(want string, count int) {
		t.Helper()
		cp := w.Trailer("HEAD")
		if got := w.Metadata(cp, "0/prompt.txt"); got != want {
			t.Errorf("prompts %q, want %q", got, want)
		}
		if got := w.Slot(cp).CheckpointsCount; got != 1 {
			t.Errorf("the checkpoint counts %d", got)
		}
		if got := w.State("s1").CheckpointCount; got != count {
			t.Errorf("the state counts %d, want %d", got, count)
		}
	}
	w.Turn("s1", "first", func() { w.Write("one", "1\n") })
	prompts("first", 1)
	w.Turn("s1", "only talk", func() {})
	w.Turn("s1", "second", func() { w.Write("two", "2\n") })
	prompts("second", 2)
	w.Write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
	w.Must(os.Chmod(w.Path(".git/hooks/pre-commit"), 0o755))
	w.Turn("s1", "refused", func() { w.Write("three", "3\n") })
	w.Must(os.Remove(w.Path(".git/hooks/pre-commit")))
	w.Turn("s1", "third", func() { w.Write("four", "4\n") })
	prompts("refused\n\n---\n\nthird", 4)
	if got := maintain.HoldsState(session.NewStateStore(w.GitPath(".")), w.EndedState("s1"), w.Now); got != "" {
		t.Errorf("it is held, as %s", got)
	}
	if got := w.Problems(); got != "" {
		t.Errorf("problems: %s", got)
	}
}

func TestAutoCommitLeavesThePersonsWorkAlone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, testrepo.Files(map[string]string{"a.txt": "one\n", "mine.txt": "x\n", "staged.txt": "x\n", "gone.txt": "x\n"}))
	w.Write("mine.txt", "changed by hand\n")
	w.Write("notes.txt", "untracked\n")
	w.Write("staged.txt", "staged\n")
	w.Write("new-staged.txt", "staged too\n")
	w.Git("add", "staged.txt", "new-staged.txt")
	w.Git("rm", "-q", "gone.txt")
	before := w.Git("ls-files", "-s")
	w.Turn("s1", "work", func() { w.Write("a.txt", "two\n"); w.Write("dir/b.txt", "b\n") })
	if got := w.Committed("HEAD"); got != "a.txt dir/b.txt" {
		t.Fatalf("committed: %s", got)
	}
	if got, want := w.GitStatus(), "D  gone.txt\n M mine.txt\nA  new-staged.txt\nM  staged.txt\n?? notes.txt"; got != want {
		t.Errorf("git status:\n%s\nwant:\n%s", got, want)
	}
	for _, line := range strings.Split(before, "\n") {
		if !strings.HasSuffix(line, "\ta.txt") && !strings.Contains(w.Git("ls-files", "-s"), line) {
			t.Errorf("the index lost %q", line)
		}
	}
	w.Turn("s1", "more", func() { w.Write("a.txt", "three\n") })
	if got := w.Committed("HEAD"); got != "a.txt" {
		t.Errorf("the second time: %s", got)
	}
}

// TestAutoCommitOfAFileBothChanged shows every way a person's change and the
// agent's can meet in one file.
func TestAutoCommitOfAFileBothChanged(t *testing.T) {
	t.Parallel()
	by := func(r map[int]string) string { return numbered(20, r) }
	for name, tc := range map[string]struct {
		person, staged  string // the file before the turn, and what of it was staged
		agent           string
		commit          string // "" when nothing is committed
		index, worktree string // afterwards
		why             string
	}{
		"different lines": {
			person: by(map[int]string{2: "mine"}), agent: by(map[int]string{2: "mine", 15: "agent"}),
			commit: by(map[int]string{15: "agent"}), index: by(map[int]string{15: "agent"}), worktree: by(map[int]string{2: "mine", 15: "agent"}),
		},
		"lines the agent changed again": {
			person: by(map[int]string{2: "mine", 9: "mine"}), agent: by(map[int]string{2: "mine", 9: "agent"}),
			commit: by(map[int]string{9: "agent"}), index: by(map[int]string{9: "agent"}), worktree: by(map[int]string{2: "mine", 9: "agent"}),
		},
		"part was staged": {
			person: by(map[int]string{2: "staged", 6: "mine"}), staged: by(map[int]string{2: "staged"}),
			agent:  by(map[int]string{2: "staged", 6: "mine", 15: "agent"}),
			commit: by(map[int]string{15: "agent"}), index: by(map[int]string{2: "staged", 15: "agent"}),
			worktree: by(map[int]string{2: "staged", 6: "mine", 15: "agent"}),
		},
		"all was staged": {
			person: by(map[int]string{2: "staged"}), staged: by(map[int]string{2: "staged"}), agent: by(map[int]string{2: "staged", 15: "agent"}),
			commit: by(map[int]string{15: "agent"}), index: by(map[int]string{2: "staged", 15: "agent"}), worktree: by(map[int]string{2: "staged", 15: "agent"}),
		},
		"staged lines the agent changed again": {
			person: by(map[int]string{2: "staged"}), staged: by(map[int]string{2: "staged"}), agent: by(map[int]string{2: "agent"}),
			index: by(map[int]string{2: "staged"}), worktree: by(map[int]string{2: "agent"}), why: autocommit.HeldStaged,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewAuto(t, testrepo.Files(map[string]string{"f": by(nil)}))
			if tc.staged != "" {
				w.Write("f", tc.staged)
				w.Git("add", "f")
			}
			w.Write("f", tc.person)
			head := w.Head()
			w.Turn("s1", "work", func() { w.Write("f", tc.agent) })
			if tc.commit == "" {
				if w.Head() != head {
					t.Errorf("committed: %s", w.Git("show"))
				}
			} else if got := w.Git("show", "HEAD:f"); got != strings.TrimSpace(tc.commit) {
				t.Errorf("committed:\n%s", w.Git("show"))
			}
			if got := w.Git("show", ":f"); got != strings.TrimSpace(tc.index) {
				t.Errorf("index:\n%s", got)
			}
			if got := w.Read("f"); got != tc.worktree {
				t.Errorf("worktree:\n%s", got)
			}
			if got := w.Problems(); (tc.why != "") != strings.Contains(got, "not-committed") || !strings.Contains(got, tc.why) {
				t.Errorf("status: %q", got)
			}
			// The person's part never becomes the agent's.
			w.Turn("s1", "elsewhere", func() { w.Write("other", "x\n") })
			if got := w.Committed("HEAD"); got != "other" {
				t.Errorf("the next turn committed %s", got)
			}
			if tc.why != "" {
				w.Git("add", "f")
				if cp := w.GitCommit("-m", "by hand"); cp == "" {
					t.Error("the person's own commit of it was not linked")
				}
			}
			w.Fsck()
		})
	}
}

func TestAutoCommitLeavesAPersonsNewFileToThem(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	w.Write("draft.txt", "mine\n")
	w.Turn("s1", "improve", func() { w.Write("draft.txt", "mine\nbetter\n"); w.Write("b", "b\n") })
	if got := w.Committed("HEAD"); got != "b" {
		t.Errorf("committed: %s", got)
	}
	if got := w.Problems(); !strings.Contains(got, "not-committed draft.txt") {
		t.Errorf("status: %q", got)
	}
	w.Git("add", "draft.txt")
	if cp := w.GitCommit("-m", "the draft"); cp == "" {
		t.Error("not linked")
	}
	if got := w.Problems(); got != "" {
		t.Errorf("status: %q", got)
	}
}

func TestAutoCommitRespectsHooks(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	hook := w.GitPath("hooks/pre-commit")
	w.Write("mine.txt", "staged\n")
	w.Git("add", "mine.txt")
	script := "#!/bin/sh\ngit diff --cached --name-only > '" + w.Notes() + ".seen'\n"
	testrepo.WriteScript(t, hook, script+"echo no: style >&2; exit 1\n")
	head := w.Head()
	w.Turn("s1", "work", func() { w.Write("b", "b\n") })
	if w.Head() != head {
		t.Fatal("committed though the hook refused")
	}
	if got := enginetest.ReadFile(t, w.Notes()+".seen"); got != "b\n" {
		t.Errorf("the hook saw %q", got)
	}
	if got := w.Problems(); !strings.Contains(got, "no: style") {
		t.Errorf("status: %q", got)
	}
	if got := w.Points(); len(got) != 1 || got[0].IsLogsOnly {
		t.Errorf("the turn is no point: %+v", got)
	}
	// Refused again at the next prompt would cost the person's time.
	if err := os.Remove(w.Notes() + ".seen"); err != nil {
		t.Fatal(err)
	}
	w.Prompt("s1", "correct it")
	if _, err := os.Stat(w.Notes() + ".seen"); err == nil {
		t.Error("the hook ran at a prompt")
	}
	// A formatter that stages what it changed.
	testrepo.WriteScript(t, hook, "#!/bin/sh\necho formatted >> b; git add b; echo log > made; git add made\n")
	w.Write("b", "better\n")
	w.Stop("s1")
	if got := w.Committed("HEAD"); got != "b made" {
		t.Fatalf("committed: %s", got)
	}
	if got := w.Git("show", "HEAD:b"); got != "better\nformatted" {
		t.Errorf("committed: %q", got)
	}
	if got := w.GitStatus(); got != "A  mine.txt" {
		t.Errorf("git status: %q", got)
	}
	if got := w.Slot(w.Trailer("HEAD")).CheckpointTranscriptStart; got != 0 {
		t.Errorf("the part of both turns begins at %d", got)
	}
	if got := w.Problems(); got != "" {
		t.Errorf("status: %q", got)
	}
	w.HooksWentWell()
}

func TestAutoCommitWaits(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		begin, end func(*enginetest.World)
		why        string
	}{
		"merge": {
			begin: func(w *enginetest.World) {
				w.Git("checkout", "-q", "-b", "other")
				w.Write("o", "o\n")
				w.Git("add", "o")
				w.Git("commit", "-q", "-m", "o")
				w.Git("checkout", "-q", "main")
				w.Git("merge", "-q", "--no-ff", "--no-commit", "other")
			},
			end: func(w *enginetest.World) { w.Git("commit", "-q", "--no-edit") },
			why: "a merge is in progress",
		},
		"index locked": {
			begin: func(w *enginetest.World) { w.Must(os.WriteFile(w.GitPath("index.lock"), nil, 0o644)) },
			end:   func(w *enginetest.World) { w.Must(os.Remove(w.GitPath("index.lock"))) },
			why:   "another git was at work on the index",
		},
		"conflicts": {
			begin: func(w *enginetest.World) {
				w.Write("a.txt", "stashed\n")
				w.Git("stash", "-q")
				w.Write("a.txt", "committed\n")
				w.Git("commit", "-q", "-a", "-m", "c")
				_, _ = w.TryGit("stash", "pop")
			},
			end: func(w *enginetest.World) { w.Git("checkout", "-q", "HEAD", "a.txt"); w.Git("stash", "drop", "-q") },
			why: "conflicts",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewAuto(t, enginetest.SourceFiles())
			tc.begin(w)
			head := w.Head()
			w.Turn("s1", "work", func() { w.Write("b", "b\n") })
			if w.Head() != head {
				t.Fatalf("committed: %s", w.Subjects())
			}
			if got := w.Problems(); !strings.Contains(got, tc.why) {
				t.Errorf("status: %q", got)
			}
			tc.end(w)
			w.Prompt("s1", "next")
			if got := w.Committed("HEAD"); got != "b" {
				t.Errorf("after it: %s", got)
			}
			if got := w.Subjects(); !strings.HasPrefix(got, "Work\n") {
				t.Errorf("history: %s", got)
			}
			if got := w.Problems(); got != "" {
				t.Errorf("status: %q", got)
			}
			w.Fsck()
		})
	}
}

func TestAutoCommitOnAnUnbornBranch(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, testrepo.Unborn())
	w.Turn("s1", "begin", func() { w.Write("b", "b\n") })
	if got := w.Problems(); !strings.Contains(got, "no commit yet") {
		t.Errorf("status: %q", got)
	}
	w.Git("add", "b")
	if cp := w.GitCommit("-m", "first"); cp == "" {
		t.Error("not linked")
	}
	w.Turn("s1", "go on", func() { w.Write("c", "c\n") })
	if got := w.Committed("HEAD"); got != "c" {
		t.Errorf("committed: %s", got)
	}
}

func TestAutoCommitShapes(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]*enginetest.World{
		"sha256":          enginetest.NewAuto(t, enginetest.SourceFiles(), testrepo.SHA256()),
		"linked worktree": enginetest.NewAuto(t, enginetest.SourceFiles()).Elsewhere("side"),
		"detached":        enginetest.NewAuto(t, enginetest.SourceFiles()),
		"odd names":       enginetest.NewAuto(t, enginetest.SourceFiles()),
		"separate":        enginetest.NewAuto(t, enginetest.SourceFiles(), testrepo.SeparateGitDir()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w.Auto = true
			if name == "detached" {
				w.Git("checkout", "-q", "--detach")
			}
			files := []string{"b"}
			if name == "odd names" {
				files = []string{"*.txt", "a b", "new\nline", "ü", ":(top)x", "-q"}
			}
			w.Turn("s1", "work", func() {
				for _, f := range files {
					w.Write(f, "x\n")
				}
			})
			if got := strings.Count(w.Git("show", "--name-only", "-z", "--format=", "HEAD"), "\x00"); got != len(files) {
				t.Errorf("%d files committed: %s", got, w.Committed("HEAD"))
			}
			if got := w.GitStatus(); got != "" {
				t.Errorf("git status: %q", got)
			}
			if cp := w.Trailer("HEAD"); len(w.Slots(cp)["s1"]) != len(files) {
				t.Errorf("stored: %v", w.Slots(cp))
			}
			w.Fsck()
		})
	}
}

func TestAutoCommitOfAnInterruptedTurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	w.Prompt("s1", "first")
	w.Write("one", "1\n")
	w.Prompt("s1", "second") // Esc, and another prompt
	if got := w.Subjects(); !strings.HasPrefix(got, "First\n") {
		t.Fatalf("history: %s", got)
	}
	w.Write("two", "2\n")
	w.Stop("s1")
	if got := w.Subjects(); !strings.HasPrefix(got, "Second\nFirst\n") {
		t.Errorf("history: %s", got)
	}
	if a, b := w.Committed("HEAD^"), w.Committed("HEAD"); a != "one" || b != "two" {
		t.Errorf("committed: %s, %s", a, b)
	}
}

// The agent may have written the next prompt down before its hook tells of it.
func TestAutoCommitOfAnInterruptedTurnHasItsOwnSubject(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	for _, prompt := range []string{"first", "second", "second"} {
		w.Say("s1", "user", prompt)
		w.Event(agent.TurnStart, "s1", func(ev *agent.Event) { ev.Prompt = prompt })
		w.Write(prompt, w.Head())
	}
	w.Stop("s1")
	if got := w.Subjects(); !strings.HasPrefix(got, "Second\nSecond\nFirst\n") {
		t.Errorf("history: %s", got)
	}
}

func TestAutoCommitOfTwoSessions(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	w.Prompt("s1", "one")
	w.Prompt("s2", "two")
	w.Write("one", "1\n")
	w.Wrote("s1", "one")
	w.Write("two", "2\n")
	w.Wrote("s2", "two")
	w.Stop("s1")
	if got := w.Committed("HEAD"); got != "one" {
		t.Errorf("the first session committed %s", got)
	}
	w.Stop("s2")
	if got := w.Committed("HEAD"); got != "two" {
		t.Errorf("the second session committed %s", got)
	}
	if got := w.GitStatus(); got != "" {
		t.Errorf("git status: %q", got)
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func TestAutoCommitOfACommitTheAgentMade(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	w.Prompt("s1", "work and commit")
	w.Write("one", "1\n")
	w.Git("add", "one")
	cp := w.GitCommit("-m", "by the agent")
	w.Write("two", "2\n")
	w.Stop("s1")
	if cp == "" || w.Committed("HEAD") != "two" || w.Committed("HEAD^") != "one" {
		t.Errorf("%q, %s, %s", cp, w.Committed("HEAD"), w.Committed("HEAD^"))
	}
}

func TestAutoCommitSigns(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	signer := filepath.Join(w.Home, "signer")
	testrepo.WriteScript(t, signer, "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\necho; echo none; echo '-----END PGP SIGNATURE-----'\n")
	w.Git("config", "gpg.program", signer)
	w.Git("config", "commit.gpgSign", "true")
	w.Turn("s1", "work", func() { w.Write("b", "b\n") })
	if got := w.Git("cat-file", "-p", "HEAD"); !strings.Contains(got, "gpgsig -----BEGIN PGP SIGNATURE-----") {
		t.Errorf("not signed: %s", got)
	}
}

func TestAutoCommitTasks(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	w.Git("checkout", "-q", "-b", "feature")
	w.Prompt("s1", "delegate")
	w.Task(agent.TaskStart, "s1", "toolu_1", nil)
	for i := range 2 {
		w.Write(fmt.Sprintf("f%d", i), "x\n")
		w.Todo("s1", fmt.Sprintf("toolu_todo%d", i), fmt.Sprintf("thing %d", i))
	}
	w.Write("last", "x\n")
	w.Task(agent.TaskEnd, "s1", "toolu_1", func(ev *agent.Event) { ev.SubagentType, ev.Description = "general", "do it" })
	w.Write("after", "x\n")
	w.Stop("s1")
	want := "Delegate\nCompleted 'general' agent: do it (toolu_1)\nthing 1 (toolu_1)\nthing 0 (toolu_1)\n"
	if got := w.Subjects(); !strings.HasPrefix(got, want) {
		t.Fatalf("history:\n%s", got)
	}
	for rev, file := range map[string]string{"HEAD~3": "f0", "HEAD~2": "f1", "HEAD~1": "last", "HEAD": "after"} {
		cp := w.Trailer(rev)
		meta := w.Slot(cp)
		if got := strings.Join(meta.FilesTouched, " "); got != file || meta.IsTask != (rev != "HEAD") {
			t.Errorf("%s: %s, task %v", rev, got, meta.IsTask)
		}
		if !strings.Contains(w.Metadata(cp, "0/full.jsonl"), "done") {
			t.Errorf("%s lacks the end of the turn", rev)
		}
	}
	for rev, file := range map[string]string{"HEAD~3": "checkpoints/001-toolu_1.json", "HEAD~2": "checkpoints/002-toolu_1.json", "HEAD~1": "checkpoint.json"} {
		if got := w.Metadata(w.Trailer(rev), "tasks/toolu_1/"+file); !strings.Contains(got, "toolu_1") {
			t.Errorf("%s: %s", file, got)
		}
	}
	log := w.Git("log", "--format=%B", "entire/checkpoints/v1")
	cp := w.Trailer("HEAD~2")
	if line := "Entire-Metadata-Task: " + cp[:2] + "/" + cp[2:] + "/tasks/toolu_1/checkpoints/002-toolu_1.json"; !strings.Contains(log, line) {
		t.Errorf("no %q in\n%s", line, log)
	}
	w.HooksWentWell()
}

func TestAutoCommitNoIncrementsOnTheDefaultBranch(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	w.Prompt("s1", "delegate")
	w.Task(agent.TaskStart, "s1", "toolu_1", nil)
	w.Write("f", "x\n")
	w.Todo("s1", "toolu_todo", "thing")
	w.Task(agent.TaskEnd, "s1", "toolu_1", nil)
	w.Stop("s1")
	if got := strings.Split(w.Subjects(), "\n"); got[0] != "Task: toolu_1" || len(got) != 2 {
		t.Errorf("history: %v", got)
	}
}
