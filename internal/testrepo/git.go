package testrepo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Commit stages the whole worktree, commits it, even without a change, and returns the commit's hash.
// Installed hooks run.
func (r *Repo) Commit(message string) string {
	r.t.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	return r.Head()
}

// Head returns the hash of HEAD, or "" on an unborn branch.
func (r *Repo) Head() string {
	head, err := r.TryGit("rev-parse", "-q", "--verify", "HEAD")
	if err != nil {
		return ""
	}
	return head
}

// GitPath returns the absolute path of name in the git directory, as
// `git rev-parse --git-path` resolves it.
func (r *Repo) GitPath(name string) string {
	r.t.Helper()
	path := r.Git("rev-parse", "--git-path", name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	return path
}

// IndexBytes returns the index file, or nil if there is none.
func (r *Repo) IndexBytes() []byte {
	r.t.Helper()
	data, err := os.ReadFile(r.GitPath("index"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	return data
}

// Fsck fails the test if git finds an error in the repository. Unreachable objects are no error.
func (r *Repo) Fsck() {
	r.t.Helper()
	cmd := r.Command("git", "-c", "advice.sparseIndexExpanded=false", "fsck", "--full", "--strict", "--no-dangling", "--no-progress")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Errorf("git fsck: %v\n%s", err, out)
		return
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "notice:") {
			r.t.Errorf("git fsck: %s", line)
		}
	}
}

// Worktree adds a linked worktree next to r, on a new branch called name.
func (r *Repo) Worktree(name string) *Repo {
	r.t.Helper()
	dir := filepath.Join(tempDir(r.t), name)
	r.Git("worktree", "add", "-q", "-b", name, dir)
	return r.at(dir)
}

// Submodule makes another repository, commits it to r as the submodule name, and returns the
// submodule's worktree in r.
func (r *Repo) Submodule(name string) *Repo {
	r.t.Helper()
	source := New(r.t, Files(map[string]string{"sub.txt": "sub\n"}))
	r.Git("submodule", "--quiet", "add", source.Dir, name)
	r.Commit("add submodule " + name)
	return r.at(r.Path(name))
}

// Clone clones r with the given options of `git clone`. Options that the local
// transport ignores (--depth, --filter, --shallow-*) go through file://.
func (r *Repo) Clone(opts ...string) *Repo {
	r.t.Helper()
	source := r.Dir
	for _, opt := range opts {
		if strings.HasPrefix(opt, "--depth") || strings.HasPrefix(opt, "--filter") || strings.HasPrefix(opt, "--shallow") {
			source = "file://" + filepath.ToSlash(r.Dir)
		}
	}
	dir := filepath.Join(tempDir(r.t), "clone")
	args := append([]string{"clone", "-q"}, opts...)
	r.Git(append(args, "--", source, dir)...)
	return r.at(dir)
}

// at returns the worktree at dir with a copy of r's environment.
func (r *Repo) at(dir string) *Repo {
	return &Repo{Dir: dir, Home: r.Home, Env: append([]string(nil), r.Env...), t: r.t}
}

// Listed is what plain git lists in a commit, by path: mode and blob.
func (r *Repo) Listed(rev string) map[string]string {
	files := map[string]string{}
	for rec := range strings.SplitSeq(r.Git("ls-tree", "-r", "-z", "--full-tree", rev), "\x00") {
		if meta, path, found := strings.Cut(rec, "\t"); found {
			mode, rest, _ := strings.Cut(meta, " ")
			_, oid, _ := strings.Cut(rest, " ")
			files[path] = mode + " " + oid
		}
	}
	return files
}
