package strategy

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
)

func (w *world) plan(pid string) (*ManualCommitStrategy, *RewindPlan) {
	w.t.Helper()
	e := w.engine()
	p, err := e.FindPoint(w.ctx, pid)
	if err != nil {
		w.t.Fatal(err)
	}
	plan, err := e.PlanRewind(w.ctx, p, Scope{})
	if err != nil {
		w.t.Fatal(err)
	}
	return e, plan
}

// modes are the permission bits and links of a worktree.
func modes(tree testrepo.Tree) map[string]string {
	out := map[string]string{}
	for p, f := range tree {
		if !f.Mode.IsDir() {
			out[p] = (f.Mode & (os.ModeType | 0o111)).String()
		}
	}
	return out
}

func TestRewindRestoresEverythingGitKnows(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*world){
		"content":             func(w *world) { w.Write("a.txt", "other\n") },
		"new file":            func(w *world) { w.Write("deep/er/new.txt", "x\n") },
		"tracked file gone":   func(w *world) { w.Remove("a.txt") },
		"folder gone":         func(w *world) { w.Remove("dir") },
		"mode":                func(w *world) { w.Chmod("a.txt", 0o755) },
		"mode taken":          func(w *world) { w.Chmod("run.sh", 0o644) },
		"link to elsewhere":   func(w *world) { w.Remove("link"); w.Symlink("/etc/hostname", "link") },
		"link by file":        func(w *world) { w.Remove("link"); w.Write("link", "a file now\n") },
		"file by link":        func(w *world) { w.Remove("a.txt"); w.Symlink("b.txt", "a.txt") },
		"file by folder":      func(w *world) { w.Remove("a.txt"); w.Write("a.txt/x/y", "below\n") },
		"folder by file":      func(w *world) { w.Remove("dir"); w.Write("dir", "a file\n") },
		"folder by link":      func(w *world) { w.Remove("dir"); w.Symlink(".git", "dir") },
		"agent's file edited": func(w *world) { w.Write("agent.txt", "again\n") },
		"odd names": func(w *world) {
			w.Write("bad\xff", "x\n")
			w.Write("new\nline", "x\n")
			w.Write(`"quoted`, "x\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", "b.txt": "b\n", "dir/one": "1\n", "dir/two": "2\n", "run.sh": "#!/bin/sh\n"}))
			w.Symlink("b.txt", "link")
			w.Chmod("run.sh", 0o755)
			w.Commit("more")
			w.turn("s1", "first", func() { w.Write("agent.txt", "agent\n"); w.Write("bad\xfe", "odd\n") })
			want := w.Snapshot()
			w.turn("s1", "second", func() { change(w) })
			after := w.Snapshot()
			index, head, config := w.IndexBytes(), w.Head(), readFile(t, w.GitPath("config"))
			out := w.rewind(w.points()[1].ID)
			sameFiles(t, w, want.Contents())
			for p, m := range modes(want) {
				if got := modes(w.Snapshot())[p]; got != m {
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
			w.rewind(out.SafetyID)
			sameFiles(t, w, after.Contents())
			if string(index) != string(w.IndexBytes()) || head != w.Head() || config != readFile(t, w.GitPath("config")) {
				t.Error("index, HEAD or config changed")
			}
			w.Fsck()
		})
	}
}

func TestRewindLeavesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n"}))
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write(".gitignore", "*.env\nout/\n") })
	w.turn("s1", "second", func() {
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
	out := w.rewind(w.points()[1].ID)
	if got := w.Read("a.txt"); got != "first\n" {
		t.Errorf("a.txt: %q", got)
	}
	for _, p := range []string{"secret.env", "nested/inside.txt", "nested/.git/HEAD", "out/build.bin"} {
		if !w.Exists(p) {
			t.Errorf("%s is gone", p)
		}
	}
	if !slices.ContainsFunc(out.Kept, func(k KeptFile) bool { return k.Path == "secret.env" }) {
		t.Errorf("kept: %v", out.Kept)
	}
	w.Fsck()
}

func TestRewindWhereIgnoredFilesAreInTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", ".gitignore": "*.o\nfile\n"}))
	w.turn("s1", "first", func() { w.Write("thing", "a file\n"); w.Write("file2/in", "x\n"); w.Write("b.txt", "b\n") })
	w.turn("s1", "second", func() {
		w.Remove("thing")
		w.Write("thing/obj.o", "ignored\n")
		w.Remove("file2")
		w.Write("b.txt", "second\n")
	})
	w.Symlink("/tmp", "file2") // not ignored, but to be replaced by a folder
	out := w.rewind(w.points()[1].ID)
	if got := w.Read("b.txt"); got != "b\n" {
		t.Errorf("one file in the way stopped the others: %q", got)
	}
	if !w.Exists("thing/obj.o") {
		t.Error("an ignored file is gone")
	}
	if !slices.ContainsFunc(out.Kept, func(k KeptFile) bool { return k.Path == "thing" }) {
		t.Errorf("kept: %v", out.Kept)
	}
	if w.Exists("/tmp/in") {
		t.Error("written through a link")
	}
	if lines, err := w.engine().Recover(w.ctx); err != nil || len(lines) > 0 {
		t.Errorf("a rewind is still under way: %v, %v", lines, err)
	}
}

func TestRewindRefusesAWorktreeThatMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	e, plan := w.plan(w.points()[1].ID)
	w.Write("b.txt", "typed meanwhile\n")
	before := w.Snapshot().Contents()
	if _, err := e.Rewind(w.ctx, plan); !errors.Is(err, ErrWorktreeMoved) {
		t.Fatalf("error: %v", err)
	}
	sameFiles(t, w, before)
}

func TestRewindKeepsTheIndexWithItsOddities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
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
	w.turn("s1", "first", func() { w.Write("agent.txt", "first\n") })
	w.turn("s1", "second", func() { w.Write("agent.txt", "second\n") })
	index, status := string(w.IndexBytes()), w.Git("status", "--porcelain=v2")
	want := w.Snapshot().Contents()
	want["agent.txt"] = "first\n"
	w.rewind(w.points()[1].ID)
	sameFiles(t, w, want)
	if got := w.Git("status", "--porcelain=v2"); got != status {
		t.Errorf("status:\n%s\nwas\n%s", got, status)
	}
	_ = index // `git status` refreshed it; the entries are compared above
	w.Fsck()
}

func TestRewindWithoutFileModes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"run.sh": "#!/bin/sh\n", "a.txt": "a\n"}))
	w.Git("update-index", "--chmod=+x", "run.sh")
	w.Git("commit", "-q", "-m", "executable")
	w.Git("config", "core.fileMode", "false")
	w.turn("s1", "first", func() { w.Write("run.sh", "#!/bin/sh\nfirst\n"); w.Write("a.txt", "first\n") })
	w.turn("s1", "second", func() { w.Write("run.sh", "#!/bin/sh\nsecond\n"); w.Write("a.txt", "second\n") })
	out := w.rewind(w.points()[1].ID)
	if got := w.Read("run.sh"); got != "#!/bin/sh\nfirst\n" {
		t.Errorf("run.sh: %q; kept %v, warnings %v", got, out.Kept, out.Warnings)
	}
	if len(out.Warnings)+len(out.Kept) > 0 {
		t.Errorf("kept %v, warnings %v", out.Kept, out.Warnings)
	}
	w.hooked()
	if cp := w.gitCommit("-a", "-m", "work"); cp == "" {
		t.Error("not linked")
	}
	if got := w.shadows(); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
}

func TestRewindWithLineEndings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{".gitattributes": "*.txt text eol=crlf\n", "a.txt": "a\n"}))
	w.Remove("a.txt")
	w.Git("checkout", "a.txt")
	w.turn("s1", "first", func() { w.Write("a.txt", "first\r\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "second\r\n") })
	if out := w.rewind(w.points()[1].ID); len(out.Warnings)+len(out.Kept) > 0 {
		t.Errorf("kept %v, warnings %v", out.Kept, out.Warnings)
	}
	if got := w.Read("a.txt"); got != "first\r\n" {
		t.Errorf("a.txt: %q", got)
	}
}

func TestRewindWhenTheTranscriptIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	if err := os.Remove(w.transcript("s1")); err != nil {
		t.Fatal(err)
	}
	out := w.rewind(w.points()[1].ID)
	if w.Read("a.txt") != "first\n" || len(out.Warnings) == 0 {
		t.Errorf("a.txt %q, warnings %v", w.Read("a.txt"), out.Warnings)
	}
	cp := w.gitCommit("-a", "-m", "work")
	if cp == "" {
		t.Fatal("not linked")
	}
	if got := w.metadata(cp, "0/full.jsonl"); !strings.Contains(got, "first") || strings.Contains(got, "second") {
		t.Errorf("transcript: %q", got)
	}
}

func TestRewindOfOneSessionKeepsTheOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "one", func() { w.Write("one.txt", "one\n") })
	w.turn("s1", "one again", func() { w.Write("one.txt", "one, again\n") })
	w.turn("s2", "two", func() { w.Write("two.txt", "by session two\n") })
	p := w.points()
	if len(p) != 3 {
		t.Fatalf("points: %+v", p)
	}
	out := w.rewind(p[2].ID) // before the second session had begun
	if w.Exists("two.txt") {
		t.Error("two.txt is still there")
	}
	if got := w.points(); len(got) != 3 {
		t.Errorf("points after the rewind: %+v", got)
	}
	w.rewind(out.SafetyID)
	if got := w.Read("two.txt"); got != "by session two\n" {
		t.Errorf("two.txt: %q", got)
	}
	w.Git("add", "two.txt")
	cp := w.gitCommit("-m", "two")
	if cp == "" || w.slots(cp)["s2"] == nil {
		t.Errorf("checkpoint %q: %v", cp, w.slots(cp))
	}
}

func TestRewindFromASubdirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"sub/x.txt": "x\n", "a.txt": "a\n"}))
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("sub/x.txt", "first\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "second\n"); w.Write("sub/x.txt", "second\n") })
	below := &world{Repo: w.In("sub"), t: t, now: w.now, ctx: w.ctx, live: w.live}
	below.rewind(w.points()[1].ID)
	sameFiles(t, w, map[string]string{"a.txt": "first\n", "sub/x.txt": "first\n"})
}

func TestRewindOntoAnotherBase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.Write("p.txt", "person\n")
	w.Git("add", "p.txt")
	w.commitUnhooked("p.txt")
	w.turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	p := w.points()
	out := w.rewind(p[len(p)-1].ID)
	if w.Read("a.txt") != "first\n" || !w.Exists("p.txt") || len(out.Warnings) == 0 {
		t.Errorf("a.txt %q, p.txt %v, warnings %v", w.Read("a.txt"), w.Exists("p.txt"), out.Warnings)
	}
	w.Git("add", "a.txt")
	w.commitUnhooked("a.txt")
	w.turn("s1", "third", func() { w.Write("b.txt", "third\n") })
	e := w.engine()
	point, err := e.FindPoint(w.ctx, p[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.PlanRewind(w.ctx, point, Scope{}); !errors.Is(err, ErrBaseMoved) {
		t.Errorf("both changed a.txt: %v", err)
	}
}

// TestRewindKilledAndHeadMoved: somebody commits between the crash and the next
// command.
func TestRewindKilledAndHeadMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("agent.txt", "x\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	e, plan := w.plan(w.points()[1].ID)
	if _, err := e.openRewind(w.ctx, plan, plan.now); err != nil {
		t.Fatal(err)
	}
	w.Write("p.txt", "person\n")
	w.Git("add", "p.txt")
	w.commitUnhooked("p.txt")
	if _, err := w.engine().Recover(w.ctx); err != nil {
		t.Fatal(err)
	}
	if got := w.Read("a.txt"); got != "first\n" {
		t.Errorf("a.txt: %q", got)
	}
	w.prompt("s1", "go on")
	w.stop("s1")
	w.hooked()
	w.Git("add", "-A")
	cp := w.gitCommit("-m", "work")
	if got := strings.Join(w.slots(cp)["s1"], " "); got != "a.txt agent.txt" {
		t.Errorf("files: %q", got)
	}
	for _, ref := range w.shadows() {
		t.Errorf("left: %s %v", ref, w.stepsOn(ref))
	}
	w.Fsck()
}

func TestSecondRewindFinishesTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("b.txt", "first\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "second\n"); w.Write("b.txt", "second\n") })
	e, plan := w.plan(w.points()[1].ID)
	_, other := w.plan(w.points()[0].ID)
	if _, err := e.openRewind(w.ctx, plan, plan.now); err != nil {
		t.Fatal(err)
	}
	if _, err := w.engine().Rewind(w.ctx, other); !errors.Is(err, ErrWorktreeMoved) {
		t.Errorf("error: %v", err)
	}
	if _, err := w.engine().Recover(w.ctx); err != nil {
		t.Fatal(err)
	}
	if got := w.Read("a.txt") + w.Read("b.txt"); got != "first\nfirst\n" {
		t.Errorf("files: %q", got)
	}
	if exists(e.stageRoot()) {
		t.Error("the staging folder is left")
	}
}

func TestRewindInAFolderThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Named("caf\xe9"))
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	e, plan := w.plan(w.points()[1].ID)
	if _, err := e.openRewind(w.ctx, plan, plan.now); err != nil {
		t.Fatal(err)
	}
	if _, err := w.engine().Recover(w.ctx); err != nil {
		t.Fatal(err)
	}
	if got := w.Read("a.txt"); got != "first\n" {
		t.Errorf("a.txt: %q", got)
	}
}

func TestRestoreLogsStayInTheirFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	home := filepath.Join(w.Home, ".claude", "projects")
	for _, sid := range []string{"s1", "s2", "s3"} {
		w.live[sid] = ""
	}
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	cp := w.gitCommit("-a", "-m", "work")
	// Somebody's metadata says to write elsewhere.
	good := w.metadata(cp, "0/metadata.json")
	for _, hostile := range []string{"../../../x.jsonl", ".bashrc", "/etc/passwd", ".ssh/s1.jsonl", ".claude/projects/../../s1.jsonl", ".claude/settings.json", ".claude/projects/other/s2.jsonl"} {
		bad := strings.Replace(good, `"transcript_path": "projects/s1.jsonl"`, `"transcript_path": "`+hostile+`"`, 1)
		if bad == good {
			t.Fatalf("metadata: %s", good)
		}
		w.replaceMetadata(cp, "0/metadata.json", bad)
		before := listFiles(t, w.Home)
		e := w.engine()
		p, err := e.FindPoint(w.ctx, w.Head())
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.RestoreLogs(w.ctx, p, true)
		if err != nil || len(out.Restored) != 1 {
			t.Fatalf("%s: %+v, %v", hostile, out, err)
		}
		if got := out.Restored[0].Path; !strings.HasPrefix(got, home+"/") || filepath.Base(got) != "s1.jsonl" || strings.Contains(got, "other") {
			t.Errorf("%s: written to %s", hostile, got)
		}
		for _, f := range listFiles(t, w.Home) {
			if !slices.Contains(before, f) && !strings.HasPrefix(f, ".claude/projects/") {
				t.Errorf("%s: made %s", hostile, f)
			}
		}
	}
	w.replaceMetadata(cp, "0/metadata.json", strings.Replace(good, `"session_id": "s1"`, `"session_id": "../../evil"`, 1))
	out, err := w.engine().RestoreLogs(w.ctx, RewindPoint{CheckpointID: id.MustCheckpointID(cp)}, true)
	if err != nil || len(out.Restored) != 0 || len(out.Skipped) != 1 {
		t.Errorf("hostile session: %+v, %v", out, err)
	}
}

// replaceMetadata writes a file of the metadata branch as anybody could.
func (w *world) replaceMetadata(cp, file, content string) {
	w.t.Helper()
	index := filepath.Join(w.Home, "meta.index")
	old := w.Env
	w.Setenv("GIT_INDEX_FILE", index)
	w.Git("read-tree", "entire/checkpoints/v1")
	blob := w.GitInput(content, "hash-object", "-w", "--stdin")
	w.Git("update-index", "--cacheinfo", "100644,"+blob+","+cp[:2]+"/"+cp[2:]+"/"+file)
	commit := w.Git("commit-tree", "-p", "entire/checkpoints/v1", "-m", "hostile", w.Git("write-tree"))
	w.Env = old
	w.Git("update-ref", "refs/heads/entire/checkpoints/v1", commit)
}

func listFiles(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestResetSavesThePresent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	w.gitCommit("-a", "-m", "work")
	linked := w.Head()
	w.Write("b.txt", "later\n")
	w.Commit("later")
	head := w.Head()
	w.Write("a.txt", "not saved anywhere\n")
	w.Write("new.txt", "nor this\n")
	e := w.engine()
	p, err := e.FindPoint(w.ctx, linked)
	if err != nil {
		t.Fatal(err)
	}
	old, err := e.ResetTo(w.ctx, p)
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
	for name, spoil := range map[string]func(*world){
		"a tracked file too large to save": func(w *world) { w.Write("large.bin", strings.Repeat("x", 4096)) },
		"an ignored file where the commit has a folder": func(w *world) {
			w.Git("rm", "-q", "dir/in")
			w.Write(".gitignore", "dir\n")
			w.Git("add", ".gitignore")
			w.Git("commit", "-q", "-m", "no folder")
			w.Write("dir", "private\n")
		},
		"an ignored folder where the commit has a file": func(w *world) {
			w.Git("rm", "-q", "b.txt")
			w.Write(".gitignore", "b.txt\n")
			w.Git("add", ".gitignore")
			w.Git("commit", "-q", "-m", "no file")
			w.Write("b.txt/deep/secret", "private\n")
		},
		"an ignored file that the commit tracks": func(w *world) {
			w.Git("rm", "-q", "--cached", "b.txt")
			w.Write(".gitignore", "b.txt\n")
			w.Git("add", ".gitignore")
			w.Git("commit", "-q", "-m", "b.txt is private now")
			w.Write("b.txt", "private\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", "b.txt": "b\n", "dir/in": "in\n", "large.bin": "small\n"})).hooked()
			w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
			w.gitCommit("-a", "-m", "work")
			linked := w.Head()
			w.Write("c.txt", "c\n")
			w.Git("add", "c.txt")
			w.Git("commit", "-q", "-m", "later")
			spoil(w)
			before := w.Snapshot().Contents()
			e := w.engine()
			e.CaptureLimit = 1024
			p, err := e.FindPoint(w.ctx, linked)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.ResetTo(w.ctx, p); err == nil {
				t.Error("it went ahead")
			}
			sameFiles(t, w, before)
		})
	}
}

func TestPlanSaysWhatWillHappen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "first", func() { w.Write("new.txt", "x\ny\n") })
	w.turn("s1", "second", func() {
		w.Write("a.txt", "short\n")
		w.Chmod("b.txt", 0o755)
		w.Write("more.txt", "1\n")
		w.Remove("new.txt")
	})
	_, plan := w.plan(w.points()[1].ID)
	got := map[string]PlannedChange{}
	for _, c := range plan.Changes {
		c.change.Path = ""
		got[c.Path] = PlannedChange{Action: c.Action, Insertions: c.Insertions, Deletions: c.Deletions}
	}
	want := map[string]PlannedChange{
		"a.txt": {Action: PlanWrite, Insertions: 9, Deletions: 1}, "b.txt": {Action: PlanMode},
		"more.txt": {Action: PlanRemove, Deletions: 1}, "new.txt": {Action: PlanCreate, Insertions: 2},
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
	w := newWorld(t, sourceFiles())
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	p := w.points()[0]
	e := w.engine()
	if got, err := e.FindPoint(w.ctx, p.ID[:7]); err != nil || got.ID != p.ID {
		t.Errorf("by seven digits: %+v, %v", got, err)
	}
	for _, bad := range []string{"", p.ID[:6], "zzzzzzz", strings.Repeat("0", 40), "--all-of-it", w.Head()} {
		if _, err := e.FindPoint(w.ctx, bad); !errors.Is(err, ErrPointNotFound) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := e.PlanRewind(w.ctx, RewindPoint{ID: p.ID, IsLogsOnly: true}, Scope{}); !errors.Is(err, ErrLogsOnly) {
		t.Errorf("logs only: %v", err)
	}
}
