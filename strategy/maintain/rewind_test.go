package maintain_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire/id"
	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

func TestRewindRestoresEverythingGitKnows(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*enginetest.World){
		"content":             func(w *enginetest.World) { w.Write("a.txt", "other\n") },
		"new file":            func(w *enginetest.World) { w.Write("deep/er/new.txt", "x\n") },
		"tracked file gone":   func(w *enginetest.World) { w.Remove("a.txt") },
		"folder gone":         func(w *enginetest.World) { w.Remove("dir") },
		"mode":                func(w *enginetest.World) { w.Chmod("a.txt", 0o755) },
		"mode taken":          func(w *enginetest.World) { w.Chmod("run.sh", 0o644) },
		"link to elsewhere":   func(w *enginetest.World) { w.Remove("link"); w.Symlink("/etc/hostname", "link") },
		"link by file":        func(w *enginetest.World) { w.Remove("link"); w.Write("link", "a file now\n") },
		"file by link":        func(w *enginetest.World) { w.Remove("a.txt"); w.Symlink("b.txt", "a.txt") },
		"file by folder":      func(w *enginetest.World) { w.Remove("a.txt"); w.Write("a.txt/x/y", "below\n") },
		"folder by file":      func(w *enginetest.World) { w.Remove("dir"); w.Write("dir", "a file\n") },
		"folder by link":      func(w *enginetest.World) { w.Remove("dir"); w.Symlink(".git", "dir") },
		"agent's file edited": func(w *enginetest.World) { w.Write("agent.txt", "again\n") },
		"odd names": func(w *enginetest.World) {
			w.Write("bad\xff", "x\n")
			w.Write("new\nline", "x\n")
			w.Write(`"quoted`, "x\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", "b.txt": "b\n", "dir/one": "1\n", "dir/two": "2\n", "run.sh": "#!/bin/sh\n"}))
			w.Symlink("b.txt", "link")
			w.Chmod("run.sh", 0o755)
			w.Commit("more")
			w.Turn("s1", "first", func() { w.Write("agent.txt", "agent\n"); w.Write("bad\xfe", "odd\n") })
			want := w.Snapshot()
			w.Turn("s1", "second", func() { change(w) })
			after := w.Snapshot()
			index, head, config := w.IndexBytes(), w.Head(), enginetest.ReadFile(t, w.GitPath("config"))
			out := w.Rewind(w.Points()[1].ID)
			enginetest.SameFiles(t, w, want.Contents())
			for p, m := range enginetest.Modes(want) {
				if got := enginetest.Modes(w.Snapshot())[p]; got != m {
					t.Errorf("%q has mode %s, want %s", p, got, m)
				}
			}
			for p, f := range want {
				if same, ok := after[p]; ok && same == f && w.Snapshot()[p].ModTime != f.ModTime {
					t.Errorf("%q was not changed, its time was", p)
				}
			}
			if len(out.Kept)+len(out.Warnings) > 0 {
				t.Errorf("kept %v, warnings %v", out.Kept, out.Warnings)
			}
			w.Rewind(out.SafetyID)
			enginetest.SameFiles(t, w, after.Contents())
			if string(index) != string(w.IndexBytes()) || head != w.Head() || config != enginetest.ReadFile(t, w.GitPath("config")) {
				t.Error("index, HEAD or config changed")
			}
			w.Fsck()
		})
	}
}

func TestRewindLeavesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write(".gitignore", "*.env\nout/\n") })
	w.Turn("s1", "second", func() {
		w.Write("a.txt", "second\n")
		w.Write(".gitignore", "")       // un-ignores what the target ignores
		w.Write("secret.env", "TOKEN=") // and captures it
	})
	w.Write("out/build.bin", "built\n")
	nested := w.Path("nested")
	if err := os.MkdirAll(nested, 0o755); err != nil {
		t.Fatal(err)
	}
	w.In("nested").Git("init", "-q")
	w.Write("nested/inside.txt", "somebody's\n")
	out := w.Rewind(w.Points()[1].ID)
	if got := w.Read("a.txt"); got != "first\n" {
		t.Errorf("a.txt: %q", got)
	}
	for _, p := range []string{"secret.env", "nested/inside.txt", "nested/.git/HEAD", "out/build.bin"} {
		if !w.Exists(p) {
			t.Errorf("%s is gone", p)
		}
	}
	if !slices.ContainsFunc(out.Kept, func(k sessionstate.KeptFile) bool { return k.Path == "secret.env" }) {
		t.Errorf("kept: %v", out.Kept)
	}
	w.Fsck()
}

func TestRewindWhereIgnoredFilesAreInTheWay(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", ".gitignore": "*.o\nfile\n"}))
	w.Turn("s1", "first", func() { w.Write("thing", "a file\n"); w.Write("file2/in", "x\n"); w.Write("b.txt", "b\n") })
	w.Turn("s1", "second", func() {
		w.Remove("thing")
		w.Write("thing/obj.o", "ignored\n")
		w.Remove("file2")
		w.Write("b.txt", "second\n")
	})
	w.Symlink("/tmp", "file2") // not ignored, but to be replaced by a folder
	out := w.Rewind(w.Points()[1].ID)
	if got := w.Read("b.txt"); got != "b\n" {
		t.Errorf("one file in the way stopped the others: %q", got)
	}
	if !w.Exists("thing/obj.o") {
		t.Error("an ignored file is gone")
	}
	if !slices.ContainsFunc(out.Kept, func(k sessionstate.KeptFile) bool { return k.Path == "thing" }) {
		t.Errorf("kept: %v", out.Kept)
	}
	if w.Exists("/tmp/in") {
		t.Error("written through a link")
	}
	if lines, err := rewind.Recover(w.Ctx, w.Engine()); err != nil || len(lines) > 0 {
		t.Errorf("a rewind is still under way: %v, %v", lines, err)
	}
}

func TestRewindRefusesAWorktreeThatMoved(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	e, plan := w.Plan(w.Points()[1].ID)
	w.Write("b.txt", "typed meanwhile\n")
	before := w.Snapshot().Contents()
	if _, err := rewind.Rewind(w.Ctx, e, plan); !errors.Is(err, restore.ErrWorktreeMoved) {
		t.Fatalf("error: %v", err)
	}
	enginetest.SameFiles(t, w, before)
}

func TestRewindKeepsTheIndexWithItsOddities(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Git("switch", "-q", "-c", "side")
	w.Write("a.txt", "side\n")
	w.Commit("side")
	w.Git("switch", "-q", "main")
	w.Write("a.txt", "main\n")
	w.Commit("main")
	if _, err := w.TryGit("merge", "-q", "side"); err == nil {
		t.Fatal("the merge should conflict")
	}
	w.Write("intent.txt", "later\n")
	w.Git("add", "-N", "intent.txt")
	w.Turn("s1", "first", func() { w.Write("agent.txt", "first\n") })
	w.Turn("s1", "second", func() { w.Write("agent.txt", "second\n") })
	index, status := string(w.IndexBytes()), w.Git("status", "--porcelain=v2")
	want := w.Snapshot().Contents()
	want["agent.txt"] = "first\n"
	w.Rewind(w.Points()[1].ID)
	enginetest.SameFiles(t, w, want)
	if got := w.Git("status", "--porcelain=v2"); got != status {
		t.Errorf("status:\n%s\nwas\n%s", got, status)
	}
	_ = index // `git status` refreshed it; the entries are compared above
	w.Fsck()
}

func TestRewindWithoutFileModes(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"run.sh": "#!/bin/sh\n", "a.txt": "a\n"}))
	w.Git("update-index", "--chmod=+x", "run.sh")
	w.Git("commit", "-q", "-m", "executable")
	w.Git("config", "core.fileMode", "false")
	w.Turn("s1", "first", func() { w.Write("run.sh", "#!/bin/sh\nfirst\n"); w.Write("a.txt", "first\n") })
	w.Turn("s1", "second", func() { w.Write("run.sh", "#!/bin/sh\nsecond\n"); w.Write("a.txt", "second\n") })
	out := w.Rewind(w.Points()[1].ID)
	if got := w.Read("run.sh"); got != "#!/bin/sh\nfirst\n" {
		t.Errorf("run.sh: %q; kept %v, warnings %v", got, out.Kept, out.Warnings)
	}
	if len(out.Warnings)+len(out.Kept) > 0 {
		t.Errorf("kept %v, warnings %v", out.Kept, out.Warnings)
	}
	w.Hooked()
	if cp := w.GitCommit("-a", "-m", "work"); cp == "" {
		t.Error("not linked")
	}
	if got := w.Shadows(); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
}

func TestRewindWithLineEndings(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{".gitattributes": "*.txt text eol=crlf\n", "a.txt": "a\n"}))
	w.Remove("a.txt")
	w.Git("checkout", "a.txt")
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\r\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\r\n") })
	if out := w.Rewind(w.Points()[1].ID); len(out.Warnings)+len(out.Kept) > 0 {
		t.Errorf("kept %v, warnings %v", out.Kept, out.Warnings)
	}
	if got := w.Read("a.txt"); got != "first\r\n" {
		t.Errorf("a.txt: %q", got)
	}
}

func TestRewindWhenTheTranscriptIsGone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	if err := os.Remove(w.Transcript("s1")); err != nil {
		t.Fatal(err)
	}
	out := w.Rewind(w.Points()[1].ID)
	if w.Read("a.txt") != "first\n" || len(out.Warnings) == 0 {
		t.Errorf("a.txt %q, warnings %v", w.Read("a.txt"), out.Warnings)
	}
	cp := w.GitCommit("-a", "-m", "work")
	if cp == "" {
		t.Fatal("not linked")
	}
	if got := w.Metadata(cp, "0/full.jsonl"); !strings.Contains(got, "first") || strings.Contains(got, "second") {
		t.Errorf("transcript: %q", got)
	}
}

func TestRewindOfOneSessionKeepsTheOther(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "one", func() { w.Write("one.txt", "one\n") })
	w.Turn("s1", "one again", func() { w.Write("one.txt", "one, again\n") })
	w.Turn("s2", "two", func() { w.Write("two.txt", "by session two\n") })
	p := w.Points()
	if len(p) != 3 {
		t.Fatalf("points: %+v", p)
	}
	out := w.Rewind(p[2].ID) // before the second session had begun
	if w.Exists("two.txt") {
		t.Error("two.txt is still there")
	}
	if got := w.Points(); len(got) != 3 {
		t.Errorf("points after the rewind: %+v", got)
	}
	w.Rewind(out.SafetyID)
	if got := w.Read("two.txt"); got != "by session two\n" {
		t.Errorf("two.txt: %q", got)
	}
	w.Git("add", "two.txt")
	cp := w.GitCommit("-m", "two")
	if cp == "" || w.Slots(cp)["s2"] == nil {
		t.Errorf("checkpoint %q: %v", cp, w.Slots(cp))
	}
}

func TestRewindFromASubdirectory(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"sub/x.txt": "x\n", "a.txt": "a\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("sub/x.txt", "first\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\n"); w.Write("sub/x.txt", "second\n") })
	below := &enginetest.World{Repo: w.In("sub"), T: t, Now: w.Now, Ctx: w.Ctx, Live: w.Live}
	below.Rewind(w.Points()[1].ID)
	enginetest.SameFiles(t, w, map[string]string{"a.txt": "first\n", "sub/x.txt": "first\n"})
}

func TestRewindOntoAnotherBase(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.Write("p.txt", "person\n")
	w.Git("add", "p.txt")
	w.CommitUnhooked("p.txt")
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	p := w.Points()
	out := w.Rewind(p[len(p)-1].ID)
	if w.Read("a.txt") != "first\n" || !w.Exists("p.txt") || len(out.Warnings) == 0 {
		t.Errorf("a.txt %q, p.txt %v, warnings %v", w.Read("a.txt"), w.Exists("p.txt"), out.Warnings)
	}
	w.Write("a.txt", "somebody else\n")
	w.Git("add", "a.txt")
	w.CommitUnhooked("a.txt")
	w.Turn("s1", "third", func() { w.Write("b.txt", "third\n") })
	e := w.Engine()
	point, err := step.FindPoint(w.Ctx, e, p[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.PlanRewind(w.Ctx, e, point, condense.Scope{}); !errors.Is(err, restore.ErrBaseMoved) {
		t.Errorf("both changed a.txt: %v", err)
	}
}

// TestRewindKilledAndHeadMoved: somebody commits between the crash and the next
// command.
func TestRewindKilledAndHeadMoved(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("agent.txt", "x\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	e, plan := w.Plan(w.Points()[1].ID)
	if _, err := rewind.PrepareRewind(w.Ctx, e, plan, plan.Present); err != nil {
		t.Fatal(err)
	}
	w.Write("p.txt", "person\n")
	w.Git("add", "p.txt")
	w.CommitUnhooked("p.txt")
	if _, err := rewind.Recover(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	if got := w.Read("a.txt"); got != "first\n" {
		t.Errorf("a.txt: %q", got)
	}
	w.Prompt("s1", "go on")
	w.Stop("s1")
	w.Hooked()
	w.Git("add", "-A")
	cp := w.GitCommit("-m", "work")
	if got := strings.Join(w.Slots(cp)["s1"], " "); got != "a.txt agent.txt" {
		t.Errorf("files: %q", got)
	}
	for _, ref := range w.Shadows() {
		t.Errorf("left: %s %v", ref, w.StepsOn(ref))
	}
	w.Fsck()
}

func TestSecondRewindFinishesTheFirst(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("b.txt", "first\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\n"); w.Write("b.txt", "second\n") })
	e, plan := w.Plan(w.Points()[1].ID)
	_, other := w.Plan(w.Points()[0].ID)
	if _, err := rewind.PrepareRewind(w.Ctx, e, plan, plan.Present); err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.Rewind(w.Ctx, w.Engine(), other); !errors.Is(err, restore.ErrWorktreeMoved) {
		t.Errorf("error: %v", err)
	}
	if _, err := rewind.Recover(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	if got := w.Read("a.txt") + w.Read("b.txt"); got != "first\nfirst\n" {
		t.Errorf("files: %q", got)
	}
	if sessionstate.PathExists(restore.StageRoot(e)) {
		t.Error("the staging folder is left")
	}
}

func TestRewindInAFolderThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Named("caf\xe9"))
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	e, plan := w.Plan(w.Points()[1].ID)
	if _, err := rewind.PrepareRewind(w.Ctx, e, plan, plan.Present); err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.Recover(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	if got := w.Read("a.txt"); got != "first\n" {
		t.Errorf("a.txt: %q", got)
	}
}

func TestRestoreLogsStayInTheirFolder(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	home := filepath.Join(w.Home, ".claude", "projects")
	for _, sid := range []string{"s1", "s2", "s3"} {
		w.Live[sid] = ""
	}
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	cp := w.GitCommit("-a", "-m", "work")
	// Somebody's metadata says to write elsewhere.
	good := w.Metadata(cp, "0/metadata.json")
	for _, hostile := range []string{"../../../x.jsonl", ".bashrc", "/etc/passwd", ".ssh/s1.jsonl", ".claude/projects/../../s1.jsonl", ".claude/settings.json", ".claude/projects/other/s2.jsonl"} {
		bad := strings.Replace(good, `"transcript_path": "projects/s1.jsonl"`, `"transcript_path": "`+hostile+`"`, 1)
		if bad == good {
			t.Fatalf("metadata: %s", good)
		}
		w.ReplaceMetadata(cp, "0/metadata.json", bad)
		before := enginetest.ListFiles(t, w.Home)
		e := w.Engine()
		p, err := step.FindPoint(w.Ctx, e, w.Head())
		if err != nil {
			t.Fatal(err)
		}
		out, err := transcript.RestoreLogs(w.Ctx, e, p, true)
		if err != nil || len(out.Restored) != 1 {
			t.Fatalf("%s: %+v, %v", hostile, out, err)
		}
		if got := out.Restored[0].Path; !strings.HasPrefix(got, home+"/") || filepath.Base(got) != "s1.jsonl" || strings.Contains(got, "other") {
			t.Errorf("%s: written to %s", hostile, got)
		}
		for _, f := range enginetest.ListFiles(t, w.Home) {
			if !slices.Contains(before, f) && !strings.HasPrefix(f, ".claude/projects/") {
				t.Errorf("%s: made %s", hostile, f)
			}
		}
	}
	w.ReplaceMetadata(cp, "0/metadata.json", strings.Replace(good, `"session_id": "s1"`, `"session_id": "../../evil"`, 1))
	out, err := transcript.RestoreLogs(w.Ctx, w.Engine(), step.RewindPoint{CheckpointID: id.MustCheckpointID(cp)}, true)
	if err != nil || len(out.Restored) != 0 || len(out.Skipped) != 1 {
		t.Errorf("hostile session: %+v, %v", out, err)
	}
}

func TestResetSavesThePresent(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.GitCommit("-a", "-m", "work")
	linked := w.Head()
	w.Write("b.txt", "later\n")
	w.Commit("later")
	head := w.Head()
	w.Write("a.txt", "not saved anywhere\n")
	w.Write("new.txt", "nor this\n")
	e := w.Engine()
	p, err := step.FindPoint(w.Ctx, e, linked)
	if err != nil {
		t.Fatal(err)
	}
	old, err := maintain.ResetTo(w.Ctx, e, p)
	if err != nil || old != head {
		t.Fatalf("%s, %v", old, err)
	}
	if w.Head() != linked || w.Read("a.txt") != "agent\n" {
		t.Errorf("HEAD %s, a.txt %q", w.Head(), w.Read("a.txt"))
	}
	saved := w.Git("for-each-ref", "--format=%(refname)", "refs/entire/undo/")
	if got := w.Git("show", saved+":a.txt") + "|" + w.Git("show", saved+":new.txt"); got != "not saved anywhere|nor this" {
		t.Errorf("saved: %q", got)
	}
	w.Fsck()
}

// TestResetRefusesWhatItCannotSave: `git reset --hard` would overwrite files of
// which no step can hold the present.
func TestResetRefusesWhatItCannotSave(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*enginetest.World){
		"a tracked file too large to save": func(w *enginetest.World) { w.Write("large.bin", strings.Repeat("x", 4096)) },
		"an ignored file where the commit has a folder": func(w *enginetest.World) {
			w.Git("rm", "-q", "dir/in")
			w.Write(".gitignore", "dir\n")
			w.Git("add", ".gitignore")
			w.Git("commit", "-q", "-m", "no folder")
			w.Write("dir", "private\n")
		},
		"an ignored folder where the commit has a file": func(w *enginetest.World) {
			w.Git("rm", "-q", "b.txt")
			w.Write(".gitignore", "b.txt\n")
			w.Git("add", ".gitignore")
			w.Git("commit", "-q", "-m", "no file")
			w.Write("b.txt/deep/secret", "private\n")
		},
		"an ignored file that the commit tracks": func(w *enginetest.World) {
			w.Git("rm", "-q", "--cached", "b.txt")
			w.Write(".gitignore", "b.txt\n")
			w.Git("add", ".gitignore")
			w.Git("commit", "-q", "-m", "b.txt is private now")
			w.Write("b.txt", "private\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", "b.txt": "b\n", "dir/in": "in\n", "large.bin": "small\n"})).Hooked()
			w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
			w.GitCommit("-a", "-m", "work")
			linked := w.Head()
			w.Write("c.txt", "c\n")
			w.Git("add", "c.txt")
			w.Git("commit", "-q", "-m", "later")
			spoil(w)
			before := w.Snapshot().Contents()
			e := w.Engine()
			e.CaptureLimit = 1024
			p, err := step.FindPoint(w.Ctx, e, linked)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := maintain.ResetTo(w.Ctx, e, p); err == nil {
				t.Error("it went ahead")
			}
			enginetest.SameFiles(t, w, before)
		})
	}
}

func TestPlanSaysWhatWillHappen(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "first", func() { w.Write("new.txt", "x\ny\n") })
	w.Turn("s1", "second", func() {
		w.Write("a.txt", "short\n")
		w.Chmod("b.txt", 0o755)
		w.Write("more.txt", "1\n")
		w.Remove("new.txt")
	})
	_, plan := w.Plan(w.Points()[1].ID)
	got := map[string]restore.PlannedChange{}
	for _, c := range plan.Changes {
		c.Change.Path = ""
		got[c.Path] = restore.PlannedChange{Action: c.Action, Insertions: c.Insertions, Deletions: c.Deletions}
	}
	want := map[string]restore.PlannedChange{
		"a.txt": {Action: restore.PlanWrite, Insertions: 9, Deletions: 1}, "b.txt": {Action: restore.PlanMode},
		"more.txt": {Action: restore.PlanRemove, Deletions: 1}, "new.txt": {Action: restore.PlanCreate, Insertions: 2},
	}
	for p, c := range want {
		if !reflect.DeepEqual(got[p], c) {
			t.Errorf("%s: %+v, want %+v", p, got[p], c)
		}
	}
	if len(got) != len(want) {
		t.Errorf("plan: %+v", plan.Changes)
	}
}

func TestPointsAreFoundByPrefix(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	p := w.Points()[0]
	e := w.Engine()
	if got, err := step.FindPoint(w.Ctx, e, p.ID[:7]); err != nil || got.ID != p.ID {
		t.Errorf("by seven digits: %+v, %v", got, err)
	}
	for _, bad := range []string{"", p.ID[:6], "zzzzzzz", strings.Repeat("0", 40), "--all-of-it", w.Head()} {
		if _, err := step.FindPoint(w.Ctx, e, bad); !errors.Is(err, step.ErrPointNotFound) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := rewind.PlanRewind(w.Ctx, e, step.RewindPoint{ID: p.ID, IsLogsOnly: true}, condense.Scope{}); !errors.Is(err, restore.ErrLogsOnly) {
		t.Errorf("logs only: %v", err)
	}
}
