package enginetest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/testrepo"
	"entire/strategy/worktree"
)

// TreeOf lists a commit's files, without ours.
func (w *World) TreeOf(commit string) string {
	w.T.Helper()
	var out []string
	for line := range strings.SplitSeq(w.Git("ls-tree", "-r", "-z", commit), "\x00") {
		if _, path, _ := strings.Cut(line, "\t"); path != "" && !worktree.OwnPath(path) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// WouldAdd lists what `git add --all` makes of the worktree, in an index of its own.
func (w *World) WouldAdd() string {
	w.T.Helper()
	index := filepath.Join(w.T.TempDir(), "index")
	env := w.Repo.In(".")
	for _, shared := range []string{"", "sharedindex.*"} { // a split index has its other part beside it
		names := []string{w.GitPath("index")}
		if shared != "" {
			names, _ = filepath.Glob(w.GitPath(shared))
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				w.T.Fatal(err)
			}
			to := index
			if shared != "" {
				to = filepath.Join(filepath.Dir(index), filepath.Base(name))
			}
			if err := os.WriteFile(to, data, 0o600); err != nil {
				w.T.Fatal(err)
			}
			// As old as the index itself, or git would trust the stat data of a file
			// that was changed at the moment when the index was written.
			if fi, err := os.Stat(name); err != nil || os.Chtimes(to, fi.ModTime(), fi.ModTime()) != nil {
				w.T.Fatal(err)
			}
		}
	}
	env.Setenv("GIT_INDEX_FILE", index)
	defer env.Unsetenv("GIT_INDEX_FILE")
	env.Git("-c", "core.safecrlf=false", "add", "--all", ".")
	return w.TreeOf(env.Git("write-tree"))
}

// Spoil changes everything that stands, and adds to it.
func (w *World) Spoil(stands testrepo.Tree, hidden []string) {
	w.T.Helper()
	for i, path := range slices.Sorted(maps.Keys(stands)) {
		f := stands[path]
		if slices.Contains(hidden, path) || strings.HasPrefix(path, ".git") || f.Mode.IsDir() {
			continue
		}
		w.Remove(path)
		switch {
		case i%3 == 0:
		case f.Mode&os.ModeSymlink != 0:
			w.Write(path, "no link any more\n")
		default:
			w.Write(path, f.Content+"spoiled")
			w.Chmod(path, 0o755)
		}
	}
	w.Write("spoiled/new", "n\n")
}
