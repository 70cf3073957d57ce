package git

import (
	"bufio"
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

func TestStagedReadsTheIndexGitNames(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	r.Write("kept/changed.txt", "two\n")
	r.Write("new", "n\n")
	r.Git("add", "new")
	repo := open(t, r)
	names := func(indexFile string) string {
		var list []string
		for _, c := range must[Staged](t)(repo.Staged(t.Context(), indexFile)).Changes {
			list = append(list, c.Path)
		}
		return strings.Join(list, " ")
	}
	if got := names(""); got != "new" {
		t.Errorf("staged %q", got)
	}
	all := filepath.Join(t.TempDir(), "index")
	tmp := *r
	tmp.Env = append(slices.Clone(r.Env), "GIT_INDEX_FILE="+all)
	tmp.Git("read-tree", "HEAD")
	tmp.Git("add", "kept")
	if got := names(all); got != "kept/changed.txt" {
		t.Errorf("staged %q", got)
	}
}

func TestStagedOnAnUnbornBranch(t *testing.T) {
	t.Parallel()
	for _, opt := range []testrepo.Option{testrepo.Unborn(), testrepo.SHA256()} {
		r := testrepo.New(t, opt, testrepo.Unborn())
		r.Write("new", "n\n")
		r.Git("add", "new")
		changes := must[Staged](t)(open(t, r).Staged(t.Context(), "")).Changes
		if len(changes) != 1 || changes[0].Path != "new" || changes[0].OldMode != 0 || changes[0].NewMode != object.ModeFile {
			t.Errorf("against nothing %+v", changes)
		}
	}
}

// TestStagedNatively compares with what git finds, and says where it does so
// without git.
func TestStagedNatively(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		do     func(r *testrepo.Repo)
		native bool
	}{
		{"nothing", func(*testrepo.Repo) {}, true},
		{"changes", func(r *testrepo.Repo) {
			r.Write("kept/changed.txt", "two\n")
			r.Write("a/b/c/new", "n\n")
			r.Remove("kept/removed.txt")
			r.Chmod("kept/same.txt", 0o755)
		}, true},
		{"a file that becomes a folder", func(r *testrepo.Repo) {
			r.Remove("kept/changed.txt")
			r.Write("kept/changed.txt/inside", "n\n")
		}, true},
		{"a file that becomes a link", func(r *testrepo.Repo) {
			r.Remove("kept/changed.txt")
			r.Symlink("same.txt", "kept/changed.txt")
		}, true},
		{"a submodule", func(r *testrepo.Repo) { r.Submodule("sub").Commit("inside") }, true},
		{"a long name", func(r *testrepo.Repo) {
			r.Write(strings.Repeat("folder-with-a-name/", 12)+strings.Repeat("n", 200), "n\n")
		}, true},
		{"version 4", func(r *testrepo.Repo) { r.Git("update-index", "--index-version", "4"); r.Write("new", "n\n") }, false},
		{"a split index", func(r *testrepo.Repo) { r.Git("update-index", "--split-index"); r.Write("new", "n\n") }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t, base)
			row.do(r)
			r.Git("add", "-A")
			r.Git("write-tree") // as git commit does
			repo := open(t, r)
			want := must[[]Change](t)(repo.stagedAgainst(t.Context(), "HEAD", ""))
			got, native := repo.stagedNatively(t.Context(), "")
			if native != row.native || native && !slices.Equal(got.Changes, want) {
				t.Errorf("native %t, got\n%v, want\n%v", native, got.Changes, want)
			}
			if row.name != "nothing" && len(want) == 0 {
				t.Error("nothing is staged")
			}
		})
	}
}

// TestStagedIntent: what is only intended to be added is not in the commit.
func TestStagedIntent(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	r.Write("intended", "x\n")
	r.Write("new", "n\n")
	r.Git("add", "-N", "intended")
	r.Git("add", "new")
	_, _ = r.TryGit("write-tree")
	changes := must[Staged](t)(open(t, r).Staged(t.Context(), "")).Changes
	if len(changes) != 1 || changes[0].Path != "new" {
		t.Errorf("staged %+v", changes)
	}
}

func FuzzIndexTree(f *testing.F) {
	entry := make([]byte, 72)
	entry[61] = 1
	entry[62] = 'a'
	head := []byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01")
	tree := append([]byte("TREE\x00\x00\x00\x19\x001 0\n"), bytes.Repeat([]byte{7}, 20)...)
	f.Add(slices.Concat(head, entry, tree, make([]byte, 20)))
	f.Add(slices.Concat(head, entry, []byte("link\x00\x00\x00\x00"), tree, make([]byte, 20)))
	f.Add(slices.Concat(head, entry, []byte("TREE\x00\x00\x00\x06\x00-1 0\n"), make([]byte, 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := readIndexTree(bufio.NewReader(bytes.NewReader(data)), int64(len(data)))
		if err != nil || tree.IsZero() {
			return
		}
		all, err := cachedTrees(data, 20)
		if err != nil || len(all) == 0 || all[0] != tree {
			t.Errorf("root %s, all %v, %v", tree, all, err)
		}
	})
}
