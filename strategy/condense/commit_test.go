package condense_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/strategy/engine"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
)

func TestEveryWayToCommitIsLinked(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		add  []string
	}{
		{name: "index", args: []string{"-m", "work"}, add: []string{"a.txt", "new.txt"}},
		{name: "-a", args: []string{"-a", "-m", "work"}, add: []string{"new.txt"}},
		{name: "PATH", args: []string{"-m", "work", "a.txt"}},
		{name: "--only PATH beside what is staged", args: []string{"-m", "work", "--only", "a.txt"}, add: []string{"b.txt"}},
		{name: "editor", add: []string{"a.txt", "new.txt"}},
		{name: "--no-verify", args: []string{"--no-verify", "-m", "work"}, add: []string{"a.txt"}},
		{name: "-v", args: []string{"-v", "-e", "-m", "work"}, add: []string{"a.txt"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Setenv("GIT_EDITOR", "sh -c 'echo typed > \"$1.new\"; cat \"$1\" >> \"$1.new\"; mv \"$1.new\" \"$1\"' --")
			w.Turn("s1", "change it", func() { w.Write("a.txt", "agent\n"); w.Write("new.txt", "agent's new\n") })
			w.Write("b.txt", "by hand\n")
			if len(tc.add) > 0 {
				w.Git(append([]string{"add"}, tc.add...)...)
			}
			cp := w.GitCommit(tc.args...)
			if cp == "" {
				t.Fatalf("not linked: %s", w.Git("log", "-1", "--format=%B"))
			}
			if got := strings.Join(w.Slots(cp)["s1"], " "); !strings.Contains(got, "a.txt") || strings.Contains(got, "b.txt") {
				t.Errorf("files of the checkpoint: %s", got)
			}
			w.Git("add", "-A")
			if w.Git("status", "--porcelain") != "" {
				w.GitCommit("-m", "the rest")
			}
			if got := w.Shadows(); len(got) != 0 {
				t.Errorf("left: %v", got)
			}
			w.Fsck()
		})
	}
}

func TestCommitOfAPathLeavesTheAgentsOtherFileUnlinkedUntilItsTurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Write("b.txt", "by hand\n")
	w.Git("add", "a.txt") // staged, but not what is being committed
	if cp := w.GitCommit("-m", "by hand", "--only", "b.txt"); cp != "" {
		t.Fatalf("a person's file was linked to %s", cp)
	}
	if cp := w.GitCommit("-m", "agent's"); cp == "" {
		t.Error("the staged file was not linked later")
	}
}

func TestPartOfAFileIsCarriedForward(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	original := w.Read("a.txt")
	first := strings.Replace(original, "one\n", "ONE\n", 1)
	both := strings.Replace(first, "nine\n", "NINE\n", 1)
	w.Turn("s1", "two hunks", func() { w.Write("a.txt", both) })
	// What `git add -p` does with the first hunk alone.
	w.Write("a.txt", first)
	w.Git("add", "a.txt")
	w.Write("a.txt", both)
	one := w.GitCommit("-m", "first hunk")
	if got := w.Touched("s1"); got != "a.txt" {
		t.Fatalf("carried: %q", got)
	}
	if len(w.Shadows()) != 1 {
		t.Fatalf("shadows: %v", w.Shadows())
	}
	two := w.GitCommit("-a", "-m", "second hunk")
	if one == "" || two == "" || one == two {
		t.Errorf("checkpoints %q and %q", one, two)
	}
	if got := w.Shadows(); len(got) != 0 || w.Touched("s1") != "" {
		t.Errorf("left: %v, %q", got, w.Touched("s1"))
	}
	w.Fsck()
}

func TestAmendKeepsTheLink(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	cp := w.GitCommit("-a", "-m", "work")
	w.Write("b.txt", "forgotten\n")
	if got := w.GitCommit("-a", "--amend", "--no-edit"); got != cp {
		t.Errorf("after --amend --no-edit: %q, want %q", got, cp)
	}
	// The message was taken away in the editor; git offers it with source commit.
	w.Git("commit", "-q", "--amend", "--no-verify", "-m", "rewritten")
	if got := w.Trailer("HEAD"); got != "" && got != cp {
		t.Errorf("another checkpoint: %q", got)
	}
	w.Fsck()
}

func TestAmendRestoresALostTrailer(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	cp := w.GitCommit("-a", "-m", "work")
	file := filepath.Join(w.Home, "message")
	if err := os.WriteFile(file, []byte("reworded\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := engine.PrepareCommitMsg(w.Ctx, w.Engine(), file, "commit"); err != nil {
		t.Fatal(err)
	}
	if got := enginetest.ReadFile(t, file); got != "reworded\n\nEntire-Checkpoint: "+cp+"\n" {
		t.Errorf("message: %q", got)
	}
	diff := "# " + "------------------------ >8 ------------------------" + "\ndiff --git a/a b/a\n"
	if err := os.WriteFile(file, []byte("reworded\n\n"+diff), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := engine.PrepareCommitMsg(w.Ctx, w.Engine(), file, "commit"); err != nil {
		t.Fatal(err)
	}
	if got := enginetest.ReadFile(t, file); got != "reworded\n\nEntire-Checkpoint: "+cp+"\n\n"+diff {
		t.Errorf("message with a diff: %q", got)
	}
}

func TestMessageIsUntouchedWithoutWork(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "write", func() { w.Write("new.txt", "agent\n") })
	w.Write("b.txt", "by hand\n")
	w.Git("add", "b.txt")
	for _, source := range []string{"", "message", "template", "merge", "squash", "commit"} {
		file := filepath.Join(w.Home, "message")
		text := "subject\r\n\r\n# comment\n \t\nno newline at the end"
		if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if err := engine.PrepareCommitMsg(w.Ctx, w.Engine(), file, source); err != nil {
			t.Fatal(err)
		}
		if err := engine.CommitMsg(w.Ctx, w.Engine(), file); err != nil {
			t.Fatal(err)
		}
		if got := enginetest.ReadFile(t, file); got != text {
			t.Errorf("source %q: %q", source, got)
		}
	}
}

func TestEmptyMessageStillStopsTheCommit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	head := w.Head()
	if _, err := w.TryGit("commit", "-a"); err == nil { // the editor saves what it was given
		t.Fatalf("committed: %s", w.Git("log", "-1", "--format=%B"))
	}
	w.HooksWentWell()
	if w.Head() != head || w.Touched("s1") != "a.txt" {
		t.Errorf("HEAD %s, touched %q", w.Head(), w.Touched("s1"))
	}
	if cp := w.GitCommit("-a", "-m", "now"); cp == "" {
		t.Error("the commit after the one given up was not linked")
	}
}

func TestTrailerTakenOutMeansNoLink(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Setenv("GIT_EDITOR", "sh -c 'echo mine > \"$1\"' --")
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	if cp := w.GitCommit("-a"); cp != "" {
		t.Fatalf("linked to %s", cp)
	}
	if got := w.MetadataOf(); got != "" {
		t.Errorf("stored all the same: %s", got)
	}
	report, err := maintain.Status(w.Ctx, w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Problems) != 1 || report.Problems[0].Kind != "not-linked" {
		t.Errorf("problems: %+v", report.Problems)
	}
}

func TestDeletionsModesAndLinksAreWork(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*enginetest.World){
		"deletion": func(w *enginetest.World) { w.Remove("a.txt") },
		"rename": func(w *enginetest.World) {
			w.Write("moved.txt", w.Read("a.txt"))
			w.Remove("a.txt")
		},
		"mode":               func(w *enginetest.World) { w.Chmod("a.txt", 0o755) },
		"link":               func(w *enginetest.World) { w.Symlink("b.txt", "link") },
		"link out":           func(w *enginetest.World) { w.Symlink("/etc/passwd", "link") },
		"file to link":       func(w *enginetest.World) { w.Remove("a.txt"); w.Symlink("b.txt", "a.txt") },
		"file to folder":     func(w *enginetest.World) { w.Remove("a.txt"); w.Write("a.txt/in", "x\n") },
		"staged by the turn": func(w *enginetest.World) { w.Write("a.txt", "x\n"); w.Git("add", "a.txt") },
		"git rm --cached": func(w *enginetest.World) {
			w.Git("rm", "-q", "--cached", "a.txt")
			w.Write(".gitignore", "a.txt\n")
		},
		"odd names": func(w *enginetest.World) {
			for _, p := range []string{"sp ace", "new\nline", `"quoted"`, "bad\xff", "-dash", ":(top)x", "a*b", "tab\t", "é"} {
				w.Write(p, "odd "+p+"\n")
			}
		},
		"large": func(w *enginetest.World) { w.Write("large.bin", strings.Repeat("0123456789abcdef", 1<<16)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Turn("s1", "do it", func() { do(w) })
			want := w.Git("status", "--porcelain", "-uall")
			w.Git("add", "-A")
			if cp := w.GitCommit("-m", "work"); cp == "" {
				t.Errorf("not linked; status was\n%s", want)
			}
			if got := w.Shadows(); len(got) != 0 {
				t.Errorf("left: %v, touched %q", got, w.Touched("s1"))
			}
			w.Fsck()
		})
	}
}

func TestNewFileReplacedByOtherContentIsNotLinked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("new.txt", "what the agent wrote here\n") })
	w.Write("new.txt", "entirely different, by a person\n")
	w.Git("add", "-A")
	if cp := w.GitCommit("-m", "mine"); cp != "" {
		t.Errorf("linked to %s", cp)
	}
}

func TestEndedSessionIsLinked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.Event(agent.SessionEnd, "s1", nil)
	w.Write("b.txt", "by hand\n")
	if cp := w.GitCommit("-m", "unrelated", "b.txt"); cp != "" {
		t.Errorf("an unrelated commit was linked to an ended session: %s", cp)
	}
	if cp := w.GitCommit("-a", "-m", "work"); cp == "" {
		t.Error("not linked")
	}
	if st := w.StateOf("s1"); st.EndedAt == nil || st.Phase != "ended" {
		t.Errorf("state: %+v", st)
	}
}

func TestSeveralCommitsInOneTurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "three commits, please")
	var cps []string
	for i := range 3 {
		w.Write(fmt.Sprintf("f%d", i), fmt.Sprintf("file number %d\n", i))
		w.Git("add", "-A")
		w.Say("s1", "assistant", fmt.Sprintf("committed %d", i))
		cps = append(cps, w.GitCommit("-m", fmt.Sprintf("commit %d", i)))
	}
	w.Say("s1", "assistant", "the very last words")
	w.Stop("s1")
	for i, cp := range cps {
		if cp == "" {
			t.Fatalf("commit %d is not linked", i)
		}
		if got := strings.Join(w.Slots(cp)["s1"], " "); got != fmt.Sprintf("f%d", i) {
			t.Errorf("checkpoint %d lists %q", i, got)
		}
		if got := w.Metadata(cp, "0/full.jsonl"); !strings.Contains(got, "the very last words") {
			t.Errorf("checkpoint %d is not complete: %s", i, got)
		}
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}
