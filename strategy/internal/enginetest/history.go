package enginetest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
