package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A fileWorld is a session's folder with the manager of its files. The store lies
// elsewhere, and neither is a git repository.
type fileWorld struct {
	*testing.T
	*CheckpointManager
}

func newFileWorld(t *testing.T) fileWorld {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	must(t, os.Mkdir(root, 0o755))
	return fileWorld{t, NewCheckpointManager(filepath.Join(dir, "session"), root, CheckpointOptions{NoSync: true})}
}

func (p fileWorld) at(path string) string { return filepath.Join(p.root, filepath.FromSlash(path)) }

// write makes a file and the folders above it.
func (p fileWorld) write(path, content string) {
	p.Helper()
	must(p.T, os.MkdirAll(filepath.Dir(p.at(path)), 0o755))
	must(p.T, os.WriteFile(p.at(path), []byte(content), 0o644))
}

func (p fileWorld) remove(path string) {
	p.Helper()
	must(p.T, os.RemoveAll(p.at(path)))
}

func (p fileWorld) checkpoint(id string, paths ...string) {
	p.Helper()
	must(p.T, p.CreateCheckpoint(id, paths))
}

func (p fileWorld) rewind(id string) *RewindFilesResult {
	p.Helper()
	r, err := p.RewindFiles(id, false)
	if err != nil || !r.CanRewind {
		p.Fatalf("rewind to %s: %+v, %v", id, r, err)
	}
	return r
}

// tree is everything below root: mode and content of files, targets of links.
func (p fileWorld) tree() map[string]string {
	p.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(p.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == p.root {
			return err
		}
		rel, err := filepath.Rel(p.root, path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := "folder"
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text = "-> " + target
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = fmt.Sprintf("%o %s", info.Mode().Perm(), data)
		case !info.IsDir():
			text = "special"
		}
		out[filepath.ToSlash(rel)] = text
		return nil
	})
	must(p.T, err)
	return out
}

func (p fileWorld) wantTree(what string, want map[string]string) {
	p.Helper()
	if got := p.tree(); !reflect.DeepEqual(got, want) {
		p.Errorf("%s: folder holds\n%s\nwant\n%s", what, treeText(got), treeText(want))
	}
}

func treeText(m map[string]string) string {
	var b strings.Builder
	for _, k := range sortedKeys(m) {
		fmt.Fprintf(&b, "  %s: %.60q\n", k, m[k])
	}
	return b.String()
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	for i := range keys { // few
		for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	return keys
}

// TestChecklistCheckpointCreation: file snapshots taken before mutating tool
// execution.
func TestChecklistCheckpointCreation(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	p.write("src/main.go", "package main\n")
	p.write("bin/run", "#!/bin/sh\n\x00\xff")
	must(t, os.Chmod(p.at("bin/run"), 0o750))
	must(t, os.Symlink("../nowhere", p.at("src/link")))
	before := p.tree()
	p.checkpoint("u1", "src/main.go", p.at("bin/run"), "src/link", "new/deep/file.go", "src/../src/main.go")
	p.wantTree("after a checkpoint", before)

	all, err := p.Checkpoints(t.Context())
	must(t, err)
	if len(all) != 1 || all[0].UserMessageUUID != "u1" || all[0].CheckpointID != "u1" || time.Since(all[0].CreatedAt) > time.Minute {
		t.Fatalf("checkpoints %+v", all)
	}
	want := []FileSnapshot{
		{Path: "src/main.go", Exists: true, Mode: "0100644", Size: 13},
		{Path: "bin/run", Exists: true, Mode: "0100750", Size: 12},
		{Path: "src/link", Exists: true, Mode: "0120000", Size: 10},
		{Path: "new", Mode: "040000"},
		{Path: "new/deep/file.go"},
	}
	for i, f := range all[0].Files {
		if i >= len(want) {
			t.Fatalf("files %+v", all[0].Files)
		}
		if f.Exists && !isFolder(f) {
			data, err := os.ReadFile(p.path("blobs", f.Hash))
			if err != nil || int64(len(data)) != f.Size {
				t.Errorf("%s: stored %q, %v", f.Path, data, err)
			}
		}
		f.Hash = ""
		if f != want[i] {
			t.Errorf("file %+v, want %+v", f, want[i])
		}
	}

	// Of a second call only what is new is taken, and contents are shared.
	p.write("src/main.go", "package changed\n")
	p.write("copy", "package main\n")
	p.checkpoint("u1", "src/main.go", "copy")
	p.checkpoint("u2", "copy")
	all, err = p.Checkpoints(t.Context())
	must(t, err)
	files := all[0].Files
	if len(files) != 6 || files[5].Path != "copy" || files[0].Hash != files[5].Hash || !files[5].RecordedAt.After(all[0].CreatedAt) {
		t.Errorf("files %+v", files)
	}
	blobs, err := os.ReadDir(p.path("blobs"))
	if err != nil || len(blobs) != 3 {
		t.Errorf("%d contents stored, want 3: %v", len(blobs), err)
	}
	if !all[1].CreatedAt.After(files[5].RecordedAt) {
		t.Errorf("u2 is of %v, u1 was added to at %v", all[1].CreatedAt, files[5].RecordedAt)
	}
}

// TestChecklistRewindCorrectness: files restored to exact checkpoint state.
func TestChecklistRewindCorrectness(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	p.write("a/changed", "one\ntwo\n")
	p.write("a/untouched", "same")
	p.write("a/deep/gone", "was here\x00")
	p.write("tool", "exec")
	must(t, os.Chmod(p.at("tool"), 0o755))
	must(t, os.Symlink("a", p.at("link")))
	p.write("unknown", "not the session's")
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	must(t, os.Chtimes(p.at("a/untouched"), old, old))
	before := p.tree()
	p.checkpoint("u1", "a/changed", "a/untouched", "a/deep/gone", "tool", "link")

	p.write("a/changed", "one\nTWO\nthree\n")
	p.remove("a/deep")
	must(t, os.Chmod(p.at("tool"), 0o600))
	p.remove("link")
	p.write("link/now/a/folder", "x")
	p.remove("link/now/a/folder")
	p.remove("link")
	p.write("link", "a file")
	later := p.tree()

	r := p.rewind("u1")
	p.wantTree("rewound", before)
	want := []string{"a/changed", "a/deep/gone", "link", "tool"}
	if !reflect.DeepEqual(r.FilesChanged, want) || r.SafetyCheckpoint == "" {
		t.Errorf("result %+v, want changed %q", r, want)
	}
	if info, err := os.Lstat(p.at("a/untouched")); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("what was right was touched: %v %v", info.ModTime(), err)
	}
	undo := p.rewind(r.SafetyCheckpoint)
	p.wantTree("undone", later)
	p.rewind(undo.SafetyCheckpoint)
	p.wantTree("redone", before)
	if again := p.rewind("u1"); again.FilesChanged != nil || again.SafetyCheckpoint != "" {
		t.Errorf("rewound again: %+v", again)
	}
}

// TestEarliestSnapshotSince: a file that a later checkpoint recorded first had
// not been changed until then.
func TestEarliestSnapshotSince(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	p.write("a", "a1")
	p.write("b", "b1")
	p.write("c", "c1")
	p.checkpoint("u1", "a")
	p.write("a", "a2")
	p.checkpoint("u2", "b")
	p.write("b", "b2")
	p.checkpoint("u1", "c") // late, but before c changed
	p.write("c", "c2")
	p.checkpoint("u3", "a", "b", "c")
	p.write("a", "a3")
	p.write("b", "b3")
	p.write("c", "c3")
	for _, row := range []struct{ id, want string }{
		{"u3", "a2 b2 c2"}, {"u2", "a2 b1 c1"}, {"u1", "a1 b1 c1"}, {"u3", "a2 b2 c2"},
	} {
		p.rewind(row.id)
		var got []string
		for _, name := range []string{"a", "b", "c"} {
			data, err := os.ReadFile(p.at(name))
			must(t, err)
			got = append(got, string(data))
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("at %s: %v, want %s", row.id, got, row.want)
		}
	}
}

// TestChecklistRewindDryRun: returns diff stats without modifying files.
func TestChecklistRewindDryRun(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	p.write("text", "one\ntwo\nthree\nfour\n")
	p.write("gone", "1\n2\n3")
	p.write("binary", "\x00\x01\n\n\n")
	p.write("mode", "x\n")
	p.checkpoint("u1", "text", "gone", "binary", "mode", "new", "made/x")
	p.write("text", "zero\none\nthree\n4\n")
	p.remove("gone")
	p.write("binary", "\x00\n")
	must(t, os.Chmod(p.at("mode"), 0o755))
	p.write("new", "a\nb\nc\nd\n")
	p.write("made/x", "")
	before, stored := p.tree(), len(storedNames(p))
	r, err := p.RewindFiles("u1", true)
	want := &RewindFilesResult{
		CanRewind:    true,
		FilesChanged: []string{"binary", "gone", "made/x", "mode", "new", "text"},
		Insertions:   3 + 2, // gone; two, four
		Deletions:    4 + 2, // new; zero, 4
	}
	if err != nil || !reflect.DeepEqual(r, want) {
		t.Errorf("got %+v, %v\nwant %+v", r, err, want)
	}
	p.wantTree("after a dry run", before)
	if n := len(storedNames(p)); n != stored {
		t.Errorf("a dry run made the session's %d files %d", stored, n)
	}
	done := p.rewind("u1")
	want.SafetyCheckpoint = done.SafetyCheckpoint
	if !reflect.DeepEqual(done, want) {
		t.Errorf("the rewind says %+v, its preview %+v", done, want)
	}
}

func storedNames(p fileWorld) []string {
	var names []string
	must(p.T, filepath.WalkDir(p.sessionDir, func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	}))
	return names
}

// TestChecklistNewFileHandling: files created after a checkpoint are deleted on
// rewind, with the folders that were.
func TestChecklistNewFileHandling(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	must(t, os.Mkdir(p.at("old"), 0o755))
	before := p.tree()
	p.checkpoint("u1", "new/deep/a", "new/b", "old/c", "new/kept/d")
	p.write("new/deep/a", "a\n")
	p.write("new/b", "b\n")
	p.write("old/c", "c\n")
	after := p.tree()
	r := p.rewind("u1")
	p.wantTree("rewound", before)
	if r.Deletions != 3 || r.Insertions != 0 {
		t.Errorf("result %+v", r)
	}
	p.rewind(r.SafetyCheckpoint)
	p.wantTree("undone", after)

	// A folder with somebody else's file in it stays.
	p.write("new/kept/mine", "mine")
	p.write("new/kept/d", "d")
	p.rewind("u1")
	p.wantTree("rewound beside a file of others", map[string]string{
		"old": "folder", "new": "folder", "new/kept": "folder", "new/kept/mine": "644 mine",
	})
}

// TestFileBecomesFolder and back again.
func TestFileBecomesFolder(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	p.write("x", "a file\n")
	p.checkpoint("u1", "x", "x/y/z") // x is in the way of the other two
	one := p.tree()
	p.remove("x")
	p.write("x/y/z", "below\n")
	p.checkpoint("u2", "x/y/z", "x/new")
	two := p.tree()
	p.remove("x")
	must(t, os.Symlink("elsewhere", p.at("x")))
	three := p.tree()

	r := p.rewind("u1")
	p.wantTree("u1", one)
	p.rewind(r.SafetyCheckpoint)
	p.wantTree("undone", three)
	p.rewind("u1")
	p.remove("x")
	p.write("x/y/z", "below\n")
	p.rewind("u1")
	p.wantTree("u1 again", one)

	p.remove("x")
	p.write("x/y/z", "other\n")
	if r := p.rewind("u2"); !reflect.DeepEqual(r.FilesChanged, []string{"x/y/z"}) {
		t.Errorf("result %+v", r)
	}
	p.wantTree("u2", two)

	p.write("x/unknown", "")
	if r, err := p.RewindFiles("u1", false); err == nil || r.CanRewind || !strings.Contains(err.Error(), "x/unknown") {
		t.Errorf("a folder with a file of others: %+v, %v", r, err)
	}
	two["x/unknown"] = "644 "
	p.wantTree("refused", two)
}

func TestCreateCheckpointRefuses(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "f"), nil, 0o600))
	for _, row := range []struct{ name, path, says string }{
		{"folder", "d", "is a folder"},
		{"the folder itself", ".", "the session's folder itself"},
		{"up and out", "../f", "outside"},
		{"absolute", filepath.Join(outside, "f"), "outside"},
		{"through a link", "out/f", "symbolic link"},
		{"through a link within", "in/f", "symbolic link"},
		{"git", ".git/config", "not allowed"},
		{"git in capitals", "sub/.GIT/config", "not allowed"},
		{"git as HFS+ folds it", ".g\u200cit/x", "not allowed"},
		{"git as NTFS shortens it", "GIT~1/x", "not allowed"},
		{"git with a stream", ".git::$INDEX_ALLOCATION/x", "not allowed"},
		{"git behind backslashes", `a\.git\x`, "not allowed"},
		{"drive", `C:\x`, "drive letter"},
		{"NUL", "a\x00b", "no path"},
		{"empty", "", "no path"},
		{"not UTF-8", "a\xff", "UTF-8"},
		{"long", strings.Repeat("a/", 3000) + "a", "bytes"},
		{"unreadable", "secret/f", "permission denied"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if row.name == "unreadable" && os.Geteuid() == 0 {
				row.path, row.says = "d", "is a folder" // root reads everything
			}
			p := newFileWorld(t)
			p.write("d/f", "")
			p.write("good", "good")
			must(t, os.Symlink(outside, p.at("out")))
			must(t, os.Symlink("d", p.at("in")))
			must(t, os.Mkdir(p.at("secret"), 0o000))
			t.Cleanup(func() { os.Chmod(p.at("secret"), 0o700) })
			err := p.CreateCheckpoint("u1", []string{"good", row.path})
			if err == nil || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %q", err, row.says)
			}
			if all, err := p.Checkpoints(t.Context()); len(all) != 0 || err != nil {
				t.Errorf("partly recorded: %+v, %v", all, err)
			}
			if blobs, _ := os.ReadDir(p.path("blobs")); len(blobs) != 0 {
				t.Errorf("contents were left: %v", blobs)
			}
		})
	}
}

func TestCheckpointIDs(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	p.write("f", "1")
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, ".hidden", "-x", "a\x00", "a.", "a b", strings.Repeat("a", 201), "before-rewind-x"} {
		if err := p.CreateCheckpoint(id, []string{"f"}); err == nil {
			t.Errorf("made checkpoint %q", id)
		}
		if r, err := p.RewindFiles(id, false); r.CanRewind || err == nil && r.Error != "checkpoint not found" {
			t.Errorf("rewound to %q: %+v, %v", id, r, err)
		}
	}
	p.checkpoint("msg_01#2", "f")
	p.write("f", "2")
	p.rewind("msg_01#2")
	r, err := p.RewindFiles("unknown", false)
	if err != nil || r.CanRewind || r.Error != "checkpoint not found" {
		t.Errorf("unknown checkpoint: %+v, %v", r, err)
	}
}

func TestDisabled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := NewCheckpointManager(filepath.Join(dir, "s"), dir, CheckpointOptions{Disabled: true})
	must(t, m.CreateCheckpoint("u1", []string{"f"}))
	r, err := m.RewindFiles("u1", false)
	if err != nil || r.CanRewind || r.Error == "" || m.Enabled() {
		t.Errorf("disabled: %+v, %v", r, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("a disabled manager made %v", entries)
	}
}

// TestStoreInsideTheFolder: somebody works in the folder that holds the store.
func TestStoreInsideTheFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m := NewCheckpointManager(filepath.Join(root, ".local", "s1"), root, CheckpointOptions{})
	p := fileWorld{t, m}
	p.write("f", "1")
	p.checkpoint("u1", "f")
	for _, path := range []string{".local/s1/metadata.json", ".local/s1/checkpoints/u1/manifest.json"} {
		if err := m.CreateCheckpoint("u1", []string{path}); !errors.Is(err, errOwnStore) {
			t.Errorf("%s: %v", path, err)
		}
	}
	p.write("f", "2")
	p.rewind("u1")
}

// TestClockPutBack: order is that of recording, whatever the clock says.
func TestClockPutBack(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	at := aDay
	p.now = func() time.Time { at = at.Add(-time.Hour); return at }
	for i := range 3 {
		p.write("f", fmt.Sprint(i))
		p.checkpoint(fmt.Sprint("u", i), "f")
	}
	must(t, os.Remove(p.path("files.latest")))
	p.write("f", "3")
	p.checkpoint("u3", "f")
	p.write("f", "4")
	for _, i := range []int{3, 1, 2, 0} {
		p.rewind(fmt.Sprint("u", i))
		if data, _ := os.ReadFile(p.at("f")); string(data) != fmt.Sprint(i) {
			t.Errorf("at u%d: %s", i, data)
		}
	}
}

// TestDamagedContentIsReplaced: a new checkpoint does not rely on it.
func TestDamagedContentIsReplaced(t *testing.T) {
	t.Parallel()
	for _, damage := range []string{"", "xyz"} { // cut off; as long as it was
		p := newFileWorld(t)
		p.write("f", "abc")
		p.checkpoint("u1", "f")
		c, _, err := p.Manifest("u1")
		must(t, err)
		must(t, os.WriteFile(p.path("blobs", c.Files[0].Hash), []byte(damage), 0o600))
		p.checkpoint("u2", "f")
		p.write("f", "changed")
		p.rewind("u1")
		p.wantTree("rewound", map[string]string{"f": "644 abc"})
	}
}
