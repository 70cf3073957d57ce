package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotRepository is returned by Discover where git finds no repository.
var ErrNotRepository = errors.New("not a git repository")

// Repo is one worktree of one repository, as seen from one process. It is made
// by [Discover] and must be closed. Methods that read objects share one
// subprocess and may be called from one goroutine at a time.
type Repo struct {
	Top        string // absolute, symlinks resolved; "" in a bare repository
	GitDir     string // absolute; the worktree's own (<common>/worktrees/<n> when linked)
	CommonDir  string // absolute; where refs and objects live
	WorktreeID string // "" for the main worktree, else git's name for the linked one
	Bare       bool
	SHA256     bool
	FileMode   bool // core.fileMode: the executable bit of a file means something

	// IndexFile is the index the caller's git is committing from
	// (GIT_INDEX_FILE, absolute), "" when git named none.
	IndexFile string

	env       []string
	objects   string // object directory new objects go to
	sharedBit os.FileMode
	reader    *Reader
	pending   map[OID]pendingObject
}

// Discover finds the repository around dir the way git does, honouring the
// repository variables in environ. An ordinary repository (`.git` a folder of
// our own, no repository variables, no extensions) is found without starting
// git; for every other shape git is asked.
//
// It returns [ErrNotRepository], possibly wrapped, when there is none.
func Discover(ctx context.Context, dir string, environ []string) (*Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("discover repository: %w", err)
	}
	in := readEnv(environ, dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if !in.explicit {
		r, known := discoverNative(dir)
		if known {
			if r == nil {
				return nil, fmt.Errorf("%s: %w", dir, ErrNotRepository)
			}
			r.finish(in, nil)
			return r, nil
		}
	}
	return discoverByGit(ctx, dir, in)
}

// discoverNative looks upwards for a plain `.git` folder. known is false when
// only git can tell; a nil Repo with known means there is surely none.
func discoverNative(dir string) (r *Repo, known bool) {
	for {
		dot := filepath.Join(dir, ".git")
		fi, err := os.Lstat(dot)
		switch {
		case err == nil:
			if !fi.IsDir() || !ownedByUs(fi) {
				return nil, false
			}
			return ordinary(dir, dot)
		case !errors.Is(err, os.ErrNotExist):
			return nil, false
		}
		// A bare repository, or a hook running inside one, has HEAD beside us.
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
			return nil, false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, true
		}
		dir = parent
	}
}

// ordinary accepts dot only if its configuration can mean nothing unusual.
func ordinary(top, dot string) (*Repo, bool) {
	cfg, err := os.ReadFile(filepath.Join(dot, "config"))
	if err != nil {
		return nil, false
	}
	low := bytes.ToLower(cfg)
	for _, unusual := range []string{"worktree", "[extensions", "[include", "bare = true", "bare=true", "sharedrepository"} {
		if bytes.Contains(low, []byte(unusual)) {
			return nil, false
		}
	}
	if fi, err := os.Stat(filepath.Join(dot, "objects")); err != nil || !fi.IsDir() {
		return nil, false
	}
	if _, err := os.Lstat(filepath.Join(dot, "HEAD")); err != nil {
		return nil, false
	}
	mode := !bytes.Contains(low, []byte("filemode = false")) && !bytes.Contains(low, []byte("filemode=false"))
	return &Repo{Top: top, GitDir: dot, CommonDir: dot, FileMode: mode}, true
}

// discoverByGit asks git, with the caller's own environment.
func discoverByGit(ctx context.Context, dir string, in inherited) (*Repo, error) {
	env := append(append(append([]string{}, in.rest...), in.local...), in.configEnv...)
	out, err := command{dir: dir, env: env}.output(ctx, "rev-parse", "--path-format=absolute",
		"--is-bare-repository", "--git-dir", "--git-common-dir", "--show-object-format=storage", "--is-inside-work-tree")
	if err != nil {
		if msg := err.Error(); strings.Contains(msg, "not a git repository") {
			return nil, fmt.Errorf("%s: %w", dir, ErrNotRepository)
		}
		return nil, fmt.Errorf("discover repository at %s: %w", dir, err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 5 {
		return nil, fmt.Errorf("discover repository at %s: git is older than 2.31 or answered %q", dir, clip(string(out)))
	}
	r := &Repo{Bare: lines[0] == "true", GitDir: lines[1], CommonDir: lines[2], SHA256: lines[3] == "sha256", FileMode: true}
	if lines[4] == "true" {
		top, err := command{dir: dir, env: env}.output(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel")
		if err != nil {
			return nil, fmt.Errorf("discover worktree at %s: %w", dir, err)
		}
		r.Top, r.Bare = strings.TrimSuffix(string(top), "\n"), false
	}
	if r.GitDir != r.CommonDir {
		r.WorktreeID = filepath.Base(r.GitDir)
	}
	pin := []string{"GIT_DIR=" + r.GitDir}
	if r.Top != "" {
		pin = append(pin, "GIT_WORK_TREE="+r.Top)
	}
	r.finish(in, pin)
	r.readUnusualConfig(ctx)
	return r, nil
}

// finish builds the environment of every git this Repo will start.
func (r *Repo) finish(in inherited, pin []string) {
	r.IndexFile = in.indexFile
	r.env = append(append(append(append(append([]string{}, in.rest...), in.configEnv...), in.objects...), fixedVars...), pin...)
	r.objects = filepath.Join(r.CommonDir, "objects")
	if in.objectsDir != "" {
		r.objects = in.objectsDir
		if !filepath.IsAbs(r.objects) {
			r.objects = filepath.Join(r.dir(), r.objects)
		}
	}
	r.pending = map[OID]pendingObject{}
}

// readUnusualConfig fetches the two settings native code depends on.
func (r *Repo) readUnusualConfig(ctx context.Context) {
	got, err := r.Config(ctx, "core.filemode", "core.sharedrepository")
	if err != nil {
		return
	}
	r.FileMode = got["core.filemode"] != "false"
	switch got["core.sharedrepository"] {
	case "group", "true", "1":
		r.sharedBit = 0o060
	case "all", "world", "everybody", "2":
		r.sharedBit = 0o064
	}
}

// dir is where git commands run: the worktree's top, or the git directory.
func (r *Repo) dir() string {
	if r.Top != "" {
		return r.Top
	}
	return r.GitDir
}

func (r *Repo) hashLen() int {
	if r.SHA256 {
		return 32
	}
	return 20
}

// Close ends the reading subprocess. Objects not yet made durable with
// [Writer.Sync] are discarded.
func (r *Repo) Close() error {
	r.dropPending()
	if r.reader == nil {
		return nil
	}
	err := r.reader.stop()
	r.reader = nil
	return err
}
