package git

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"entire/internal/git/store"
	"entire/internal/testrepo"
)

const shapeRef = "refs/heads/entire/shape"

// shape is a repository of some kind, with changes in its worktree.
type shape struct {
	name string
	make func(t *testing.T) *testrepo.Repo
	// want lists what the snapshot must differ in from HEAD; content or "gone".
	want map[string]string
	// check looks at more than the tree.
	check func(t *testing.T, r *testrepo.Repo, repo *Repo, st *Status, res store.HashResult)
}

// TestRepositoryShapes goes the whole way of a snapshot in every kind of
// repository and compares with what plain git reads back.
func TestRepositoryShapes(t *testing.T) {
	t.Parallel()
	for _, s := range slices.Concat(layoutShapes(), objectShapes(), contentShapes(), pathShapes()) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := s.make(t)
			index := r.IndexBytes()
			head := r.Head()
			repo := open(t, r)
			c, st, res := snapshot(t, repo, shapeRef)
			got := differences(r, head, c.OID.String())
			if !maps.Equal(got, s.want) {
				t.Errorf("snapshot differs from HEAD in %q, want %q", got, s.want)
			}
			if !slices.Equal(index, r.IndexBytes()) {
				t.Error("the user's index was written")
			}
			if r.Head() != head {
				t.Error("HEAD moved")
			}
			if s.check != nil {
				s.check(t, r, repo, st, res)
			}
			r.Fsck()
		})
	}
}

// differences reads back with plain git: path to content, or "gone".
func differences(r *testrepo.Repo, head, commit string) map[string]string {
	old := map[string]string{}
	if head != "" {
		old = r.Listed(head)
	}
	now, diff := r.Listed(commit), map[string]string{}
	for path, id := range now {
		if old[path] != id {
			mode, oid, _ := strings.Cut(id, " ")
			content := strings.TrimSuffix(r.Git("cat-file", "-p", oid), "\n")
			if mode != "100644" {
				content = mode + " " + content
			}
			diff[path] = content
		}
	}
	for path := range old {
		if now[path] == "" {
			diff[path] = "gone"
		}
	}
	return diff
}

// edited makes the usual changes: one file changed, one new, one removed.
func edited(r *testrepo.Repo) *testrepo.Repo {
	r.Write("kept/changed.txt", "two\n")
	r.Write("new/file.txt", "new\n")
	r.Remove("kept/removed.txt")
	return r
}

var (
	base       = testrepo.Files(map[string]string{"kept/changed.txt": "one\n", "kept/removed.txt": "x\n", "kept/same.txt": "same\n"})
	editedWant = map[string]string{"kept/changed.txt": "two", "new/file.txt": "new", "kept/removed.txt": "gone"}
)

func layoutShapes() []shape {
	return []shape{
		{name: "ordinary", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo { return edited(testrepo.New(t, base)) }},
		{name: "odd top", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo {
				return edited(testrepo.New(t, base, testrepo.Named("it's a \"repo\"\nhere")))
			}},
		{name: "odd top found by git", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo {
				r := edited(testrepo.New(t, base, testrepo.Named("a\nb\nc")))
				r.Git("config", "include.path", "more") // git is asked
				return r
			}},
		{name: "subdirectory", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo { return edited(testrepo.New(t, base)).In("kept") },
			check: func(t *testing.T, r *testrepo.Repo, repo *Repo, _ *Status, _ store.HashResult) {
				if repo.Top != filepath.Dir(r.Dir) {
					t.Errorf("top %s", repo.Top)
				}
			}},
		{name: "linked worktree", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo { return edited(testrepo.New(t, base).Worktree("side")) },
			check: func(t *testing.T, _ *testrepo.Repo, repo *Repo, st *Status, _ store.HashResult) {
				if repo.WorktreeID != "side" || st.Branch != "side" || repo.GitDir == repo.CommonDir {
					t.Errorf("worktree %q on %q, git dir %s", repo.WorktreeID, st.Branch, repo.GitDir)
				}
			}},
		{name: "submodule", want: map[string]string{"sub.txt": "changed"},
			make: func(t *testing.T) *testrepo.Repo {
				sub := testrepo.New(t, base).Submodule("lib")
				sub.Write("sub.txt", "changed\n")
				return sub
			}},
		{name: "separate git dir", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo { return edited(testrepo.New(t, base, testrepo.SeparateGitDir())) }},
		{name: "unborn", want: map[string]string{"a": "1", "d/b": "2"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, testrepo.Unborn())
				r.Write("a", "1\n")
				r.Write("d/b", "2\n")
				return r
			},
			check: func(t *testing.T, _ *testrepo.Repo, _ *Repo, st *Status, _ store.HashResult) {
				if !st.Head.IsZero() || st.Branch != "main" {
					t.Errorf("head %s on %q", st.Head, st.Branch)
				}
			}},
		{name: "detached", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Git("checkout", "-q", "--detach")
				return edited(r)
			},
			check: func(t *testing.T, r *testrepo.Repo, _ *Repo, st *Status, _ store.HashResult) {
				if st.Branch != "" || st.Head.String() != r.Head() {
					t.Errorf("head %s on %q", st.Head, st.Branch)
				}
			}},
		{name: "worktree of a bare repository", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo {
				bare := testrepo.New(t, base).Clone("--bare")
				return edited(bare.Worktree("side"))
			},
			check: func(t *testing.T, _ *testrepo.Repo, repo *Repo, _ *Status, _ store.HashResult) {
				if repo.Bare || repo.WorktreeID != "side" {
					t.Errorf("bare %t, worktree %q", repo.Bare, repo.WorktreeID)
				}
			}},
		{name: "worktree config", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Git("config", "extensions.worktreeConfig", "true")
				r.Git("config", "--worktree", "core.fileMode", "false")
				r.Chmod("kept/same.txt", 0o755)
				return edited(r)
			},
			check: func(t *testing.T, _ *testrepo.Repo, repo *Repo, _ *Status, _ store.HashResult) {
				if repo.FileMode {
					t.Error("core.fileMode of the worktree is not seen")
				}
			}},
		{name: "core.hooksPath", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Git("config", "core.hooksPath", "../hooks")
				return edited(r)
			},
			check: func(t *testing.T, r *testrepo.Repo, repo *Repo, _ *Status, _ store.HashResult) {
				dir, custom, err := repo.HooksDir(t.Context())
				if want := filepath.Join(filepath.Dir(r.Dir), "hooks"); err != nil || !custom || dir != want {
					t.Errorf("hooks in %s, custom %t, error %v; want %s", dir, custom, err, want)
				}
			}},
		{name: "split index", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Git("update-index", "--split-index")
				return edited(r)
			}},
	}
}

func objectShapes() []shape {
	return []shape{
		{name: "SHA-256", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo { return edited(testrepo.New(t, base, testrepo.SHA256())) },
			check: func(t *testing.T, r *testrepo.Repo, repo *Repo, _ *Status, _ store.HashResult) {
				if !repo.SHA256 || repo.EmptyTree().String() != r.GitInput("", "mktree") {
					t.Errorf("SHA256 %t, empty tree %s", repo.SHA256, repo.EmptyTree())
				}
			}},
		{name: "packed", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Git("gc", "-q")
				return edited(r)
			}},
		{name: "alternates", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo { return edited(testrepo.New(t, base).Clone("--shared")) }},
		{name: "relative alternates", want: editedWant,
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base).Clone("--shared")
				file := r.GitPath("objects/info/alternates")
				abs, err := os.ReadFile(file)
				ok(t, err)
				rel, err := filepath.Rel(r.GitPath("objects"), strings.TrimSpace(string(abs)))
				ok(t, err)
				ok(t, os.WriteFile(file, []byte(filepath.ToSlash(rel)+"\n"), 0o644))
				return edited(r)
			}},
		{name: "partial clone", want: map[string]string{"new/file.txt": "new", "kept/removed.txt": "gone"},
			make: func(t *testing.T) *testrepo.Repo {
				r := partial(t)
				r.Git("checkout", "-q", "HEAD", "--", "kept/same.txt", "kept/removed.txt")
				r.Remove("kept/removed.txt")
				r.Write("new/file.txt", "new\n")
				return r
			},
			check: func(t *testing.T, r *testrepo.Repo, repo *Repo, _ *Status, _ store.HashResult) {
				if fetched := r.Git("rev-list", "--objects", "--missing=print", "HEAD"); !strings.Contains(fetched, "?") {
					t.Error("missing objects were fetched")
				}
			}},
	}
}

// partial is a clone without blobs, with only kept/same.txt and
// kept/removed.txt in its sparse worktree.
func partial(t *testing.T) *testrepo.Repo {
	bare := testrepo.New(t, base).Clone("--bare")
	r := bare.Clone("--filter=blob:none", "--no-checkout")
	r.Git("sparse-checkout", "set", "--no-cone", "/kept/same.txt", "/kept/removed.txt", "/new")
	r.Git("read-tree", "-mu", "HEAD")
	return r
}

func contentShapes() []shape {
	return []shape{
		{name: "sparse checkout", want: map[string]string{"a/f": "changed"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, testrepo.Files(map[string]string{"a/f": "1\n", "b/f": "2\n", "c": "3\n"}))
				r.Git("sparse-checkout", "set", "--cone", "a")
				r.Write("a/f", "changed\n")
				return r
			}},
		{name: "sparse index", want: map[string]string{"a/f": "changed"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, testrepo.Files(map[string]string{"a/f": "1\n", "b/f": "2\n", "c": "3\n"}))
				r.Git("sparse-checkout", "set", "--cone", "--sparse-index", "a")
				r.Write("a/f", "changed\n")
				return r
			}},
		{name: "autocrlf", want: map[string]string{"a.txt": "one\ntwo", "new.txt": "n"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, testrepo.Files(map[string]string{"a.txt": "one\n", "b.txt": "b\n"}))
				r.Git("config", "core.autocrlf", "true")
				r.Remove("b.txt")
				r.Git("checkout", "-q", "b.txt")
				r.Write("a.txt", "one\r\ntwo\r\n")
				r.Write("new.txt", "n\r\n")
				return r
			},
			check: func(t *testing.T, r *testrepo.Repo, _ *Repo, _ *Status, _ store.HashResult) {
				if r.Read("b.txt") != "b\r\n" {
					t.Error("autocrlf is not on")
				}
			}},
		{name: "clean filter", want: map[string]string{"a.big": "HELLO", "b.txt": "b"},
			make: func(t *testing.T) *testrepo.Repo {
				r := filtered(t, "tr a-z A-Z", "tr A-Z a-z")
				r.Write("a.big", "hello\n")
				r.Write("b.txt", "b\n")
				return r
			}},
		{name: "required filter that fails", want: map[string]string{"a.big": "hello", "b.txt": "b", "c.big": "see"},
			make: func(t *testing.T) *testrepo.Repo {
				r := filtered(t, "exit 3", "exit 3")
				r.Git("config", "filter.up.required", "true")
				r.Write("a.big", "hello\n")
				r.Write("b.txt", "b\n")
				r.Write("c.big", "see\n")
				return r
			},
			check: func(t *testing.T, _ *testrepo.Repo, _ *Repo, _ *Status, res store.HashResult) {
				if want := []string{"a.big", "c.big"}; !slices.Equal(res.Raw, want) {
					t.Errorf("stored as they are: %q, want %q", res.Raw, want)
				}
			}},
		{name: "core.fileMode false", want: map[string]string{"kept/changed.txt": "two", "new.sh": "100755 n"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Git("config", "core.fileMode", "false")
				r.Write("kept/changed.txt", "two\n")
				r.Chmod("kept/changed.txt", 0o755)
				r.Chmod("kept/same.txt", 0o755)
				r.Write("new.sh", "n\n")
				r.Chmod("new.sh", 0o755)
				return r
			}},
		{name: "modes and links", want: map[string]string{"kept/changed.txt": "100755 one", "kept/same.txt": "120000 elsewhere", "l": "120000 kept"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Chmod("kept/changed.txt", 0o755)
				r.Remove("kept/same.txt")
				r.Symlink("elsewhere", "kept/same.txt")
				r.Symlink("kept", "l")
				return r
			}},
		{name: "file and folder change places", want: map[string]string{"kept": "file", "kept/changed.txt": "gone", "kept/removed.txt": "gone", "kept/same.txt": "gone", "f": "gone", "f/g": "deep"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Write("f", "f\n")
				r.Commit("f")
				r.Remove("kept")
				r.Write("kept", "file\n")
				r.Remove("f")
				r.Write("f/g", "deep\n")
				return r
			}},
		{name: "intent to add", want: map[string]string{"new": "content"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Write("new", "content\n")
				r.Git("add", "-N", "new")
				return r
			}},
		{name: "staged only", want: map[string]string{"kept/changed.txt": "gone", "added": "worktree"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Write("added", "index\n")
				r.Git("add", "added")
				r.Write("added", "worktree\n")
				r.Git("rm", "-q", "kept/changed.txt")
				return r
			}},
		{name: "merge conflict", want: map[string]string{"f": "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, testrepo.Files(map[string]string{"f": "base\n"}))
				r.Git("checkout", "-q", "-b", "other")
				r.Write("f", "theirs\n")
				r.Commit("theirs")
				r.Git("checkout", "-q", "main")
				r.Write("f", "ours\n")
				r.Commit("ours")
				if _, err := r.TryGit("merge", "other"); err == nil {
					t.Fatal("no conflict")
				}
				return r
			},
			check: func(t *testing.T, _ *testrepo.Repo, _ *Repo, st *Status, _ store.HashResult) {
				if len(st.Entries) != 1 || !st.Entries[0].Unmerged {
					t.Errorf("entries %+v", st.Entries)
				}
			}},
		{name: "dirty submodule", want: map[string]string{"kept/changed.txt": "two"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				sub := r.Submodule("lib")
				sub.Write("sub.txt", "dirty\n")
				sub.Write("untracked", "x\n")
				r.Write("kept/changed.txt", "two\n")
				return r
			}},
		{name: "nested repository", want: map[string]string{"kept/changed.txt": "two"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Git("init", "-q", "inner")
				r.Write("inner/secret", "s\n")
				r.Git("-C", "inner", "add", ".")
				r.Git("-C", "inner", "commit", "-qm", "inner")
				r.Write("kept/changed.txt", "two\n")
				return r
			},
			check: func(t *testing.T, _ *testrepo.Repo, _ *Repo, st *Status, _ store.HashResult) {
				if !slices.Equal(st.Nested, []string{"inner"}) {
					t.Errorf("nested %q", st.Nested)
				}
			}},
		{name: "ignored", want: map[string]string{".gitignore": "*.log", "a.txt": "a"},
			make: func(t *testing.T) *testrepo.Repo {
				r := testrepo.New(t, base)
				r.Write(".gitignore", "*.log\n")
				r.Write("a.txt", "a\n")
				r.Write("a.log", "a\n")
				return r
			}},
	}
}

// filtered is a repository whose *.big files go through the filter "up".
func filtered(t testing.TB, clean, smudge string) *testrepo.Repo {
	r := testrepo.New(t, testrepo.Files(map[string]string{".gitattributes": "*.big filter=up\n"}))
	r.Git("config", "filter.up.clean", clean)
	r.Git("config", "filter.up.smudge", smudge)
	return r
}

func pathShapes() []shape {
	odd := map[string]string{}
	for i, p := range oddPaths() {
		odd[p] = string(rune('a' + i))
	}
	return []shape{{name: "odd paths", want: odd,
		make: func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t, base)
			for p, content := range odd {
				r.Write(p, content+"\n")
			}
			return r
		}}, {name: "paths git does not add", want: map[string]string{"kept/changed.txt": "two"},
		make: func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t, base)
			r.Write("git~1", "x\n")
			r.Write("x/.Git/f", "x\n")
			r.Write("kept/changed.txt", "two\n")
			return r
		},
		check: func(t *testing.T, _ *testrepo.Repo, _ *Repo, st *Status, _ store.HashResult) {
			if !slices.Equal(st.Unstorable, []string{"git~1", "x/.Git/f"}) {
				t.Errorf("unstorable %q", st.Unstorable)
			}
		}}}
}

// oddPaths are names git can hold and this system can, too.
func oddPaths() []string {
	paths := []string{"with space/a b", "-leading", "--stdin", "#hash", "!bang", "é/ü", "a'b", "~tilde", "$(x)", "%2f"}
	if runtime.GOOS == "windows" {
		return paths
	}
	paths = append(paths, "new\nline/f\n", "tab\t", `quote"`, `"quoted"`, `back\slash`, ":(glob)*", "star*", "cr\r")
	if runtime.GOOS == "linux" {
		paths = append(paths, "\xff\xfe", "d\x80/\xc3")
	}
	return paths
}
