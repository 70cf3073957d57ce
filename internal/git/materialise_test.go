package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// materialise writes the given paths (all of them by default) of rev and
// returns path to content; a link's begins with "-> ", a program's with "* ".
func materialise(t testing.TB, r *testrepo.Repo, rev string, paths ...string) (map[string]string, error) {
	t.Helper()
	repo := open(t, r)
	ctx := t.Context()
	treeOID := oidOf(t, r.Git("rev-parse", rev+"^{tree}"))
	if len(paths) == 0 {
		for p := range r.Listed(rev) {
			paths = append(paths, p)
		}
	}
	var files []File
	for _, p := range paths {
		e, found, err := repo.Reader(ctx).Path(treeOID, p)
		if err != nil || !found {
			t.Fatalf("%s: found %t, error %v", p, found, err)
		}
		files = append(files, File{Path: p, Mode: e.Mode, OID: e.OID})
	}
	index := r.IndexBytes()
	dir := filepath.Join(repo.GitDir, "entire", "stage")
	err := repo.Materialise(ctx, treeOID, files, dir)
	if string(index) != string(r.IndexBytes()) {
		t.Error("the user's index was written")
	}
	left, gerr := filepath.Glob(dir + ".*")
	ok(t, gerr)
	shared, gerr := filepath.Glob(filepath.Join(repo.GitDir, "sharedindex.*"))
	ok(t, gerr)
	if len(left)+len(shared) != 0 {
		t.Errorf("left behind: %q", append(left, shared...))
	}
	return stagedFiles(t, dir), err
}

func stagedFiles(t testing.TB, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	ok(t, filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, full)
		ok(t, err)
		fi, err := d.Info()
		ok(t, err)
		prefix := ""
		var data []byte
		if fi.Mode()&fs.ModeSymlink != 0 {
			prefix = "-> "
			target, err := os.Readlink(full)
			ok(t, err)
			data = []byte(target)
		} else {
			data, err = os.ReadFile(full)
			ok(t, err)
			if fi.Mode()&0o100 != 0 {
				prefix = "* "
			}
		}
		got[filepath.ToSlash(rel)] = prefix + strings.TrimSuffix(string(data), "\n")
		return nil
	}))
	return got
}

func TestMaterialise(t *testing.T) {
	t.Parallel()
	for _, opt := range []testrepo.Option{base, testrepo.SHA256(), testrepo.SeparateGitDir()} {
		r := testrepo.New(t, base, opt)
		want := map[string]string{"kept/changed.txt": "one", "kept/removed.txt": "x", "kept/same.txt": "same", "run": "* #!", "l": "-> kept"}
		r.Write("run", "#!\n")
		r.Chmod("run", 0o755)
		r.Symlink("kept", "l")
		for i, p := range oddPaths() {
			r.Write("odd/"+p, string(rune('a'+i)))
			want["odd/"+p] = string(rune('a' + i))
		}
		r.Commit("all")
		r.Remove("kept")
		r.Commit("the index holds something else now")
		got, err := materialise(t, r, "HEAD~1")
		ok(t, err)
		testrepo.Same(t, got, want)
	}
}

// TestAttributesAreThoseOfTheTree: not of the index, nor of the worktree.
func TestAttributesAreThoseOfTheTree(t *testing.T) {
	t.Parallel()
	r := filtered(t, "tr a-z A-Z", "tr A-Z a-z")
	r.Write("a.big", "hello\n")
	r.Write("sub/b.big", "sub\n")
	r.Write("off/.gitattributes", "*.big -filter\n")
	r.Write("off/c.big", "As Is\n")
	r.Write("off/on/.gitattributes", "*.big filter=up\n")
	r.Write("off/on/d.big", "on\n")
	r.Commit("filtered")
	r.Remove(".gitattributes")
	r.Remove("off/.gitattributes")
	r.Write("sub/.gitattributes", "*.big -filter\n")
	r.Write("off/on/.gitattributes", "*.big -filter\n")
	r.Commit("other attributes")
	got, err := materialise(t, r, "HEAD~1", "a.big", "sub/b.big", "off/c.big", "off/on/d.big")
	ok(t, err)
	testrepo.Same(t, got, map[string]string{"a.big": "hello", "sub/b.big": "sub", "off/c.big": "As Is", "off/on/d.big": "on"})
}

func TestMaterialiseConvertsLineEndings(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"a": "1\n2\n", "bin": "\x00\n", ".gitattributes": "lf eol=lf\n", "lf": "1\n"}))
	r.Git("config", "core.autocrlf", "true")
	got, err := materialise(t, r, "HEAD", "a", "bin", "lf")
	ok(t, err)
	testrepo.Same(t, got, map[string]string{"a": "1\r\n2\r", "bin": "\x00", "lf": "1"})
}

// TestFiltersRunInTheWorktree: a filter may be a script of the project, and may
// ask git about the repository.
func TestFiltersRunInTheWorktree(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{
		".gitattributes": "*.big filter=here\n",
		"tools/smudge":   "#!/bin/sh\ncat >/dev/null; git rev-parse --show-toplevel; git ls-files | wc -l | tr -d ' '\n",
		"a.big":          "stored\n",
	}))
	r.Chmod("tools/smudge", 0o755)
	r.Git("config", "filter.here.smudge", "./tools/smudge %f")
	for name, env := range map[string]string{"plain": "UNRELATED=1", "with the caller's configuration": "GIT_CONFIG_COUNT=0"} {
		there := *r
		there.Env = append(append([]string{}, r.Env...), env)
		got, err := materialise(t, &there, "HEAD", "a.big")
		ok(t, err)
		if want := r.Dir + "\n3"; got["a.big"] != want {
			t.Errorf("%s: the filter saw %q, want %q", name, got["a.big"], want)
		}
		ok(t, os.RemoveAll(r.Path(".git/entire")))
	}
}

func TestMaterialiseInSparseAndSplitCheckouts(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"a/f": "1", "b/f": "2"}))
	r.Git("sparse-checkout", "set", "--cone", "--sparse-index", "a")
	r.Git("config", "core.splitIndex", "true")
	got, err := materialise(t, r, "HEAD")
	ok(t, err)
	testrepo.Same(t, got, map[string]string{"a/f": "1", "b/f": "2"})
}

// TestMaterialiseNamesWhatItCannotWrite and writes the rest.
func TestMaterialiseNamesWhatItCannotWrite(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"a": "1", "b.big": "2", "c": "3", "d.big": "4", "e": "5"}))
	r.Write(".gitattributes", "*.big filter=lfs\n")
	r.Git("config", "filter.lfs.clean", "cat")
	r.Commit("attributes")
	r.Git("config", "filter.lfs.smudge", "exit 7")
	r.Git("config", "filter.lfs.required", "true")
	got, err := materialise(t, r, "HEAD", "a", "b.big", "c", "d.big", "e")
	var stage *StageError
	if !errors.As(err, &stage) || len(stage.Reasons) != 2 || !strings.Contains(stage.Reasons["b.big"], "filter lfs failed") || stage.Reasons["d.big"] == "" {
		t.Fatalf("error %v", err)
	}
	if msg := err.Error(); strings.Contains(msg, "\n") || !strings.Contains(msg, "b.big") || !strings.Contains(msg, "1 more") {
		t.Errorf("message %q", msg)
	}
	testrepo.Same(t, got, map[string]string{"a": "1", "c": "3", "e": "5"})
}

func TestMaterialiseGivesUpOnManyBadFiles(t *testing.T) {
	t.Parallel()
	r := filtered(t, "cat", "exit 7")
	var paths []string
	for _, c := range strings.Split("abcdefghijklmnopqrst", "") {
		r.Write(c+".big", c)
		paths = append(paths, c+".big")
	}
	r.Commit("many")
	r.Git("config", "filter.up.required", "true")
	_, err := materialise(t, r, "HEAD", paths...)
	var stage *StageError
	if !errors.As(err, &stage) || len(stage.Reasons) != len(paths) {
		t.Errorf("error %v", err)
	}
}

func TestMaterialiseRefuses(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	r.Submodule("lib")
	repo := open(t, r)
	head, _, err := repo.Reader(t.Context()).CommitOf("HEAD")
	ok(t, err)
	link, _, err := repo.Reader(t.Context()).Path(head.Tree, "lib")
	ok(t, err)
	file, _, err := repo.Reader(t.Context()).Path(head.Tree, "kept/same.txt")
	ok(t, err)
	dir := filepath.Join(t.TempDir(), "stage")
	if err := repo.Materialise(t.Context(), head.Tree, []File{{"f", object.ModeFile, file.OID}, {"lib", link.Mode, link.OID}}, dir); err == nil {
		t.Error("a submodule was written")
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was written")
	}
	err = repo.Materialise(t.Context(), head.Tree, []File{{"../up", object.ModeFile, file.OID}, {".git/x", object.ModeFile, file.OID}, {"fine", object.ModeFile, file.OID}}, dir)
	var stage *StageError
	if !errors.As(err, &stage) || len(stage.Reasons) != 2 {
		t.Errorf("error %v", err)
	}
	testrepo.Same(t, stagedFiles(t, dir), map[string]string{"fine": "same"})
	ok(t, repo.Materialise(t.Context(), head.Tree, nil, dir))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := repo.Materialise(ctx, head.Tree, []File{{"g", object.ModeFile, file.OID}}, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A git that is killed may leave half of a file behind, though all are there.
func TestMaterialiseByAKilledGit(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{".gitattributes": "z.txt filter=half\n", "z.txt": "the whole of it\n"}))
	dir := r.Path(".git/entire/stage/new")
	r.Git("config", "filter.half.smudge", "printf half >'"+dir+"/z.txt'; kill -9 $PPID; sleep 1 #")
	repo := open(t, r)
	tree, err := object.ParseOID(r.Git("rev-parse", "HEAD^{tree}"))
	ok(t, err)
	oid, err := object.ParseOID(r.Git("rev-parse", "HEAD:z.txt"))
	ok(t, err)
	err = repo.Materialise(t.Context(), tree, []File{{Path: "z.txt", Mode: object.ModeFile, OID: oid}}, dir)
	if data, _ := os.ReadFile(dir + "/z.txt"); err == nil || string(data) != "half" {
		t.Errorf("%q is taken for the file: %v", data, err)
	}
}
