package git

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// A tree that the index names is gone, as after the race with a background gc:
// it is found, and comes back without a byte of the index being written.
func TestCachedTreesComeBack(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		opts  []testrepo.Option
		setUp func(r *testrepo.Repo)
	}{
		{"version 2", nil, func(r *testrepo.Repo) {}},
		{"version 3", nil, func(r *testrepo.Repo) {
			r.Write("later.txt", "x")
			r.Git("add", "-N", "later.txt")
		}},
		{"version 4", nil, func(r *testrepo.Repo) { r.Git("update-index", "--index-version=4") }},
		{"SHA-256", []testrepo.Option{testrepo.SHA256()}, func(r *testrepo.Repo) {}},
		{"extensions", nil, func(r *testrepo.Repo) { r.Git("update-index", "--untracked-cache") }},
		{"a conflict elsewhere", nil, func(r *testrepo.Repo) {
			info := ""
			for stage, text := range []string{"base", "ours", "theirs"} {
				info += "100644 " + r.GitInput(text, "hash-object", "-w", "--stdin") + " " + string(rune('1'+stage)) + "\tconflict.txt\n"
			}
			r.GitInput(info, "update-index", "--index-info")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			tr := testrepo.New(t, append(row.opts, testrepo.Files(map[string]string{
				"README.md": "hello\n", "deep/er/f.txt": "one\n", "other/" + strings.Repeat("long", 60) + ".txt": "x\n",
			}))...)
			tr.Write("deep/er/f.txt", "staged\n")
			tr.Git("add", "deep")
			tree := tr.Git("write-tree") // git remembers in the index what it wrote
			row.setUp(tr)
			r := open(t, tr)
			if missing := must[[]object.OID](t)(r.MissingCachedTrees(t.Context())); len(missing) > 0 {
				t.Fatalf("missing %v while all is well", missing)
			}
			lost := tr.Git("rev-parse", tree+":deep/er")
			ok(t, os.Remove(tr.GitPath(filepath.Join("objects", lost[:2], lost[2:]))))
			missing := must[[]object.OID](t)(r.MissingCachedTrees(t.Context()))
			if len(missing) != 1 || missing[0].String() != lost {
				t.Fatalf("missing %v, want %s", missing, lost)
			}
			before := tr.IndexBytes()
			ok(t, r.RewriteCachedTrees(t.Context()))
			if missing := must[[]object.OID](t)(r.MissingCachedTrees(t.Context())); len(missing) > 0 {
				t.Errorf("still missing %v", missing)
			}
			if !bytes.Equal(before, tr.IndexBytes()) {
				t.Error("the index was written")
			}
			if out, err := tr.TryGit("fsck", "--no-dangling"); err != nil {
				t.Errorf("fsck: %v %s", err, out)
			}
		})
	}
}

func TestNoIndex(t *testing.T) {
	t.Parallel()
	r := open(t, testrepo.New(t, testrepo.Unborn()))
	if missing, err := r.MissingCachedTrees(t.Context()); err != nil || len(missing) > 0 {
		t.Errorf("%v, %v", missing, err)
	}
}

func FuzzCachedTrees(f *testing.F) {
	tr := testrepo.New(f, testrepo.Files(map[string]string{"a/b": "1", "c": "2"}))
	f.Add(tr.IndexBytes())
	tr.Git("update-index", "--index-version=4")
	f.Add(tr.IndexBytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		trees, err := cachedTrees(data, 20)
		if err != nil && len(trees) > 0 {
			t.Error("trees beside an error")
		}
	})
}
