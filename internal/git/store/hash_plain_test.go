package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// shouting is a filter that every test repository knows.
func shouting(r *testrepo.Repo) {
	r.Git("config", "filter.up.clean", "tr a-z A-Z")
	r.Git("config", "filter.missing.clean", "false")
}

// asGit hashes files as git would now.
func asGit(r *testrepo.Repo, paths []string) map[string]string {
	oids := map[string]string{}
	for i, oid := range strings.Split(r.GitInput(strings.Join(paths, "\n")+"\n", "hash-object", "--stdin-paths"), "\n") {
		oids[paths[i]] = oid
	}
	return oids
}

// compare stores each path without git, where that is allowed, and all paths as HashFiles does, and compares them with
// what git says. It returns how many needed no git.
func compare(t *testing.T, r *testrepo.Repo, paths []string) int {
	t.Helper()
	repo := open(t, r)
	want := asGit(r, paths)
	plain := repo.plainFiles(t.Context())
	res := HashResult{OIDs: map[string]object.OID{}}
	var stored []string
	for _, p := range paths {
		if !plain.store(p, &res) {
			continue
		}
		stored = append(stored, want[p])
		if got := res.OIDs[p].String(); got != want[p] {
			t.Errorf("%s: %s without git, %s with it; content %.80q", p, got, want[p], r.Read(p))
		}
	}
	if out := r.GitInput(strings.Join(stored, "\n"), "cat-file", "--batch-check=%(objecttype)"); strings.Count(out, "blob") != len(stored) {
		t.Errorf("git finds %q", out) // at once, before Sync
	}
	all := must[HashResult](t)(repo.HashFiles(t.Context(), paths))
	for _, p := range paths {
		if got := all.OIDs[p].String(); got != want[p] {
			t.Errorf("%s: %s, git says %s; content %.80q", p, got, want[p], r.Read(p))
		}
	}
	ok(t, repo.Writer().Sync())
	return len(stored)
}

var contents = []string{"", "text\n", "no line end", "one\r\ntwo\r\n", "mixed\r\nends\n", "a\rb\n", "$Id$\n", "$Id: abc $ and more\n", "$Id", "$I d$", "bin\x00ary\n", "bin\x00\r\n", "é ü\n", "\xff\xfea\x00", "$$Id$$\n"}

func TestFilesStoredWithoutGitAreWhatGitWouldStore(t *testing.T) {
	t.Parallel()
	attribute := func(file, text string) func(r *testrepo.Repo) {
		return func(r *testrepo.Repo) { r.Write(file, text) }
	}
	none, some := 0, -1 // how many files need no git; some is at least one
	for _, row := range []struct {
		name  string
		setUp func(r *testrepo.Repo)
		alone int
	}{
		{"no attributes", func(*testrepo.Repo) {}, some},
		{"text=auto", attribute(".gitattributes", "* text=auto\n"), some},
		{"text eol=crlf", attribute(".gitattributes", "* text eol=crlf\n"), some},
		{"autocrlf", func(r *testrepo.Repo) { r.Git("config", "core.autocrlf", "true") }, some},
		{"autocrlf=input, safecrlf", func(r *testrepo.Repo) {
			r.Git("config", "core.autocrlf", "input")
			r.Git("config", "core.safecrlf", "warn")
		}, some},
		{"ident", attribute(".gitattributes", "* ident\n"), some},
		{"binary", attribute(".gitattributes", "* binary\n"), some},
		{"filter", attribute(".gitattributes", "*.txt filter=up\n"), none},
		{"a filter elsewhere", attribute(".gitattributes", "*.png filter=up\n"), none},
		{"no filter", attribute(".gitattributes", "* -filter\n"), none},
		{"encoding", attribute(".gitattributes", "*.16 working-tree-encoding=UTF-16LE\n"), none},
		{"macro", attribute(".gitattributes", "[attr]loud filter=up\n*.txt loud\n"), none},
		{"macro without a filter", attribute(".gitattributes", "[attr]quiet -diff -merge text\n*.txt quiet\n"), some},
		{"info/attributes", attribute(".git/info/attributes", "*.txt filter=up\n"), none},
		{"nested", attribute("d/.gitattributes", "*.txt filter=up\n"), some},
		{"nested takes back", func(r *testrepo.Repo) {
			r.Write(".gitattributes", "*.txt filter=up\n")
			r.Write("d/.gitattributes", "*.txt !filter\n")
		}, none},
		{"for the user", func(r *testrepo.Repo) {
			ok(t, os.MkdirAll(filepath.Join(r.Home, ".config", "git"), 0o755))
			ok(t, os.WriteFile(filepath.Join(r.Home, ".config", "git", "attributes"), []byte("*.txt filter=up\n"), 0o644))
		}, none},
		{"attributesFile", func(r *testrepo.Repo) {
			ok(t, os.WriteFile(filepath.Join(r.Home, "attrs"), []byte("*.txt filter=up\n"), 0o644))
			r.Git("config", "--global", "core.attributesFile", "~/attrs")
		}, none},
		{"attributesFile, included", func(r *testrepo.Repo) {
			ok(t, os.WriteFile(filepath.Join(r.Home, "attrs"), []byte("*.txt filter=up\n"), 0o644))
			ok(t, os.WriteFile(filepath.Join(r.Home, "more"), []byte("[core]\n\tattributesFile = ~/attrs\n"), 0o644))
			r.Git("config", "--global", "includeIf.gitdir:"+r.Dir+"/.path", "more")
		}, none},
		{"attributesFile without a filter", func(r *testrepo.Repo) {
			ok(t, os.WriteFile(filepath.Join(r.Home, "attrs"), []byte("*.txt text\n"), 0o644))
			r.Git("config", "--global", "core.attributesFile", filepath.Join(r.Home, "attrs"))
		}, some},
		{"only in the index", func(r *testrepo.Repo) {
			r.Write(".gitattributes", "*.txt filter=up\n")
			r.Git("add", ".gitattributes")
			ok(t, os.Remove(filepath.Join(r.Dir, ".gitattributes")))
		}, some},
		{"a link", func(r *testrepo.Repo) {
			r.Write("d/attrs", "*.txt filter=up\n")
			r.Symlink("d/attrs", ".gitattributes")
		}, none},
		{"a folder", func(r *testrepo.Repo) { r.Write(".gitattributes/x", "*.txt filter=up\n") }, none},
		{"on the command line", func(r *testrepo.Repo) { r.Setenv("GIT_CONFIG_PARAMETERS", "'core.autocrlf'='true'") }, none},
		{"shared by the user", func(r *testrepo.Repo) { r.Git("config", "--global", "core.sharedRepository", "group") }, none},
		{"alternates", func(r *testrepo.Repo) {
			other := testrepo.New(t)
			r.Write(".git/objects/info/alternates", filepath.Join(other.Dir, ".git", "objects")+"\n")
		}, none},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t)
			shouting(r)
			var paths []string
			for i, content := range contents {
				for _, dir := range []string{"", "d/", "d/e f/", "other/"} {
					paths = append(paths, fmt.Sprintf("%s%d.%s", dir, i, []string{"txt", "c"}[i%2]))
					r.Write(paths[len(paths)-1], content)
				}
			}
			row.setUp(r)
			if alone := compare(t, r, paths); row.alone == none && alone != 0 || row.alone == some && alone == 0 {
				t.Errorf("%d of %d files needed no git", alone, len(paths))
			}
		})
	}
}

// lines of random files of attributes.
var attributeLines = []string{
	"* text=auto", "*.txt text", "*.txt eol=crlf", "* -text", "d/** ident", "*.c ident", "* binary", "*.txt filter=up", "d/*.c filter=up", "*.c -filter", "!x filter=up", "*.txt !filter",
	"*.c working-tree-encoding=UTF-16LE", "[attr]loud filter=up", "*.c loud", "# filter", `"*.txt" filter=up`, "[attr]plain text", "d/e* filter=missing", "*.txt crlf=input", "*.c eol=lf text=auto",
}

func TestRandomAttributes(t *testing.T) {
	t.Parallel()
	alone, all := 0, 0
	for seed := range uint64(testrepo.Amount(12, 200)) {
		random := rand.New(rand.NewPCG(seed, 7))
		r := testrepo.New(t)
		shouting(r)
		for _, file := range []string{".gitattributes", "d/.gitattributes", "d/e/.gitattributes", ".git/info/attributes"} {
			if random.IntN(2) == 0 {
				var text string
				for range 1 + random.IntN(3) {
					text += attributeLines[random.IntN(len(attributeLines))] + "\n"
				}
				r.Write(file, text)
			}
		}
		if random.IntN(3) == 0 {
			r.Git("config", "core.autocrlf", []string{"true", "input"}[random.IntN(2)])
		}
		var paths []string
		for i := range 20 {
			p := []string{"", "d/", "d/e/", "x/"}[random.IntN(4)] + fmt.Sprint(i) + []string{".txt", ".c"}[random.IntN(2)]
			var content string
			for range random.IntN(4) {
				content += contents[random.IntN(len(contents))]
			}
			r.Write(p, content)
			if _, err := r.TryGit("hash-object", p); err == nil { // some are no UTF-16
				paths = append(paths, p)
			}
		}
		alone += compare(t, r, paths)
		all += len(paths)
	}
	if alone == 0 || alone == all {
		t.Errorf("%d of %d files needed no git", alone, all)
	}
}

func TestAFileThatIsInAPackIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Write("again.txt", "text of a pack\n")
	oid := r.Git("hash-object", "-w", "again.txt")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "again")
	r.Git("gc", "-q")
	loose := filepath.Join(r.Dir, ".git", "objects", oid[:2], oid[2:])
	if alone := compare(t, r, []string{"again.txt"}); alone != 1 {
		t.Error("git was asked")
	}
	if _, err := os.Lstat(loose); err == nil {
		t.Error("it was written again")
	}
}

// TestFilesThatOnlyGitStores are large ones; their content is the same.
func TestFilesThatOnlyGitStores(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Write("large", strings.Repeat("x", plainMax+1))
	r.Write("largest of ours", strings.Repeat("x", plainMax))
	if alone := compare(t, r, []string{"large", "largest of ours"}); alone != 1 {
		t.Errorf("%d of 2 files needed no git", alone)
	}
}

// TestADamagedObjectIsReplaced: a crash may leave an empty file in the place of an object.
func TestADamagedObjectIsReplaced(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Write("a", "to be damaged\n")
	oid := r.Git("hash-object", "a")
	loose := filepath.Join(r.Dir, ".git", "objects", oid[:2], oid[2:])
	ok(t, os.MkdirAll(filepath.Dir(loose), 0o755))
	ok(t, os.WriteFile(loose, nil, 0o444))
	repo := open(t, r)
	res := must[HashResult](t)(repo.HashFiles(t.Context(), []string{"a"}))
	if got := r.Git("cat-file", "-p", oid); res.OIDs["a"].String() != oid || got != "to be damaged" {
		t.Errorf("stored as %s, holds %q", res.OIDs["a"], got)
	}
}
