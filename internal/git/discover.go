package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNotRepository is returned by Discover where git finds no repository.
var ErrNotRepository = errors.New("not a git repository")

// Repo is one worktree of one repository, as seen from one process. It is made
// by [Discover] and must be closed. Methods that read objects share one
// subprocess and may be called from one goroutine at a time.
type Repo struct {
	Top        string // absolute, symlinks resolved; "" outside a worktree, as in a bare repository
	GitDir     string // absolute; the worktree's own (<common>/worktrees/<n> when linked)
	CommonDir  string // absolute; where refs and objects live
	WorktreeID string // "" for the main worktree, else git's name for the linked one
	Bare       bool
	SHA256     bool
	FileMode   bool // core.fileMode: the executable bit of a file means something

	// IndexFile is the index the caller's git is committing from
	// (GIT_INDEX_FILE, absolute), "" when git named none.
	IndexFile string

	env      []string
	userEnv  []string    // what a git run in the user's name gets
	objects  string      // object directory new objects go to
	shared   os.FileMode // core.sharedRepository: what is added to the mode of new files
	ordinary bool        // refs and objects are in files, without extensions, and SHA-1
	reader   *Reader
	writer   *Writer
	pending  map[OID]pendingObject
	loose    []string // object files that git wrote for us, not durable yet
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
	in := readEnv(environ)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if in.explicit {
		return discoverByGit(ctx, dir, in)
	}
	switch r, known := discoverNative(dir); {
	case !known:
		return discoverByGit(ctx, dir, in)
	case r == nil:
		return nil, fmt.Errorf("%s: %w", dir, ErrNotRepository)
	default:
		r.finish(in, nil)
		r.ordinary = len(in.objects) == 0
		return r, nil
	}
}

// discoverByGit asks git, with the caller's own environment.
func discoverByGit(ctx context.Context, dir string, in inherited) (*Repo, error) {
	c := command{dir: dir, env: append(slices.Concat(in.rest, in.local, in.config), "LC_ALL=C")}
	answers, err := c.shape(ctx)
	if err != nil {
		if strings.Contains(err.Error(), "not a git repository") {
			return nil, fmt.Errorf("%s: %w", dir, ErrNotRepository)
		}
		return nil, fmt.Errorf("discover repository at %s: %w", dir, err)
	}
	r := &Repo{
		Bare: answers[0] == "true", GitDir: filepath.Clean(answers[1]), CommonDir: filepath.Clean(answers[2]),
		SHA256: answers[3] == "sha256", FileMode: true,
	}
	if answers[4] == "true" {
		r.Top, r.Bare = filepath.Clean(answers[5]), false
	}
	if r.GitDir != r.CommonDir {
		r.WorktreeID = filepath.Base(r.GitDir)
	}
	pin := []string{"GIT_DIR=" + r.GitDir}
	if r.Top != "" {
		pin = append(pin, "GIT_WORK_TREE="+r.Top)
	}
	if in.common {
		pin = append(pin, "GIT_COMMON_DIR="+r.CommonDir)
	}
	r.finish(in, pin)
	if err := r.readUnusualConfig(ctx, len(in.config) > 0); err != nil {
		return nil, fmt.Errorf("discover repository at %s: %w", dir, err)
	}
	return r, nil
}

// shapeQuestions are what rev-parse is asked about a repository. The last has no
// answer, and an error, outside a worktree.
var shapeQuestions = []string{"--is-bare-repository", "--git-dir", "--git-common-dir", "--show-object-format=storage", "--is-inside-work-tree", "--show-toplevel"}

// shape asks all of shapeQuestions in one process where it can.
func (c command) shape(ctx context.Context) ([]string, error) {
	n := len(shapeQuestions)
	out, err := c.output(ctx, append([]string{"rev-parse", "--path-format=absolute"}, shapeQuestions...)...)
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	switch {
	case err == nil && len(lines) == n:
		return lines, nil
	case err != nil && len(lines) == n-1 && lines[n-2] == "false":
		return append(lines, ""), nil
	}
	answers, err := c.revParse(ctx, shapeQuestions[:n-1]...)
	if err != nil || answers[n-2] != "true" {
		return append(answers, ""), err
	}
	top, err := c.revParse(ctx, shapeQuestions[n-1])
	return append(answers, top...), err
}

// revParse asks several questions at once; where a path in the answer holds a
// newline, one by one.
func (c command) revParse(ctx context.Context, questions ...string) ([]string, error) {
	out, err := c.output(ctx, append([]string{"rev-parse", "--path-format=absolute"}, questions...)...)
	if err != nil {
		return nil, err
	}
	answer := strings.TrimSuffix(string(out), "\n")
	if len(questions) == 1 {
		return []string{answer}, nil
	}
	if lines := strings.Split(answer, "\n"); len(lines) == len(questions) {
		return lines, nil
	}
	answers := make([]string, len(questions))
	for i, q := range questions {
		one, err := c.revParse(ctx, q)
		if err != nil {
			return nil, err
		}
		answers[i] = one[0]
	}
	return answers, nil
}

// finish builds the environment of every git this Repo will start.
func (r *Repo) finish(in inherited, pin []string) {
	r.env = slices.Clip(slices.Concat(in.rest, in.config, in.objects, fixedVars, pin))
	r.userEnv = slices.Clip(slices.Concat(in.rest, in.language(), in.config, in.objects, pin))
	r.objects = filepath.Join(r.CommonDir, "objects")
	if in.objectsDir != "" {
		r.objects = r.fromTop(in.objectsDir)
	}
	if in.indexFile != "" {
		r.IndexFile = r.fromTop(in.indexFile)
	}
	r.pending = map[OID]pendingObject{}
}

// fromTop resolves a path of git's environment, which is relative to the top.
func (r *Repo) fromTop(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(r.dir(), path)
}

// readUnusualConfig fetches the settings native code depends on: from the
// repository's own files where nothing overrides them, else from git.
func (r *Repo) readUnusualConfig(ctx context.Context, overridden bool) error {
	if cfg, ok := r.ownConfig(); ok && !overridden {
		r.FileMode = cfg.fileMode
		return nil
	}
	got, err := r.Config(ctx, "core.filemode", "core.sharedrepository")
	if err != nil {
		return err
	}
	switch v, set := got["core.filemode"]; strings.ToLower(v) {
	case "false", "no", "off", "0", "":
		r.FileMode = !set
	}
	r.shared = sharedBits(got["core.sharedrepository"])
	return nil
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
	if r.reader.files != nil {
		r.reader.files.close()
	}
	_, err := r.reader.stop()
	r.reader = nil
	return err
}
