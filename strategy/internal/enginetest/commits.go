package enginetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// Slots reads the session metadata of a checkpoint.
func (w *World) Slots(cp string) map[string][]string {
	w.T.Helper()
	out := map[string][]string{}
	for i := 0; ; i++ {
		data, err := w.TryGit("show", fmt.Sprintf("entire/checkpoints/v1:%s/%s/%d/metadata.json", cp[:2], cp[2:], i))
		if err != nil {
			return out
		}
		var m struct {
			Session string   `json:"session_id"`
			Files   []string `json:"files_touched"`
		}
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			w.T.Fatal(err)
		}
		out[m.Session] = m.Files
	}
}

func (w *World) MetadataCommits() int {
	w.T.Helper()
	return len(strings.Fields(w.Git("rev-list", "entire/checkpoints/v1")))
}

// SourceFiles is the commit most of these tests begin with.
func SourceFiles() testrepo.Option {
	return testrepo.Files(map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n", "b.txt": "b\n"})
}

// MetadataOf lists what the metadata branch holds, "" when it has nothing.
func (w *World) MetadataOf() string {
	out, err := w.TryGit("ls-tree", "-r", "--name-only", "entire/checkpoints/v1")
	if err != nil {
		return ""
	}
	return out
}

// What people do to history after a commit was linked, and commits that are not
// just one more on top.

// Linked is a world with a commit on the first one, of a session's new file and
// of its change to another.
func Linked(t *testing.T) (w *World, cp string) {
	t.Helper()
	w = NewWorld(t, SourceFiles()).Hooked()
	w.Turn("s1", "write", func() {
		w.Write("new.txt", "agent one\nagent two\n")
		w.Write("a.txt", "agent in a\n")
	})
	w.Git("add", "-A")
	if cp = w.GitCommit("-m", "work"); cp == "" {
		t.Fatal("not linked")
	}
	return w, cp
}

// Wants checks the trailers of HEAD, as git reads them.
func (w *World) Wants(cps ...string) {
	w.T.Helper()
	w.HooksWentWell()
	got := strings.Fields(w.Trailer("HEAD"))
	slices.Sort(got)
	slices.Sort(cps)
	if !slices.Equal(got, cps) {
		w.T.Errorf("%s: trailers %v, want %v\n%s", w.Git("log", "-1", "--format=%s"), got, cps, w.Git("log", "-1", "--format=%B"))
	}
}

func (w *World) NothingLeft() {
	w.T.Helper()
	if refs := w.Shadows(); len(refs) > 0 {
		w.T.Errorf("left: %v", refs)
	}
	w.Fsck()
}

// Rebase runs `git rebase -i` with a script as the editor of the list.
func (w *World) Rebase(sed string, args ...string) {
	w.T.Helper()
	w.Git(append([]string{"-c", "sequence.editor=sed -i -e '" + sed + "'", "-c", "core.editor=true", "rebase", "-q", "-i"}, args...)...)
}

// Stage puts content into the index and leaves the file alone.
func (w *World) Stage(path, content string) {
	w.T.Helper()
	file := filepath.Join(w.Home, "staged")
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		w.T.Fatal(err)
	}
	oid := w.Git("hash-object", "-w", file)
	w.Git("update-index", "--cacheinfo", "100644,"+oid+","+path)
}

// CommitByPerson is GitCommit with somebody at a terminal.
func (w *World) CommitByPerson(args ...string) string {
	w.T.Helper()
	w.Env = append(w.Env, personThere+"=1")
	defer func() { w.Env = w.Env[:len(w.Env)-1] }()
	return w.GitCommit(args...)
}
