package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/git/object"
	"entire/internal/git/process"
)

// ErrNotRepository is returned by [Discover] where git finds no repository.
var ErrNotRepository = errors.New("not a git repository")

// Repo is one worktree of one repository, as seen from one process. [Discover] returns it,
// and it must be closed. Methods that read objects share one subprocess and may be called
// from one goroutine at a time.
type Repo struct {
	Top        string // absolute, symlinks resolved; "" outside a worktree, as in a bare repository
	GitDir     string // absolute; the worktree's own (<common>/worktrees/<n> when linked)
	CommonDir  string // absolute; where refs and objects live
	WorktreeID string // "" for the main worktree, otherwise git's name for the linked one
	Bare       bool
	SHA256     bool
	FileMode   bool // core.fileMode: the executable bit of a file is significant
	IgnoreCase bool // core.ignoreCase: two names that differ in case are one
	PlainLinks bool // core.symlinks is off: a symbolic link is a plain file with its text

	// IndexFile is the index that the caller's git commits from (GIT_INDEX_FILE,
	// absolute), "" if git named none.
	IndexFile string

	// Opener opens the data of sealed blobs for the Reader and returns other data as it is; nil for none.
	Opener func(ctx context.Context, data []byte) ([]byte, error)

	// BodyReader reads for the Reader what blobs stand for; nil for none.
	BodyReader BodyReader

	Env      []string
	UserEnv  []string    // the environment of a git that runs in the user's name
	objects  string      // the object directory for new objects
	shared   os.FileMode // core.sharedRepository: the bits to add to the mode of new files
	Ordinary bool        // refs and objects are in files, without extensions, and SHA-1
	reader   *Reader
	tables   *tableTexts
	writer   *Writer
	pending  map[object.OID]pendingObject
	loose    []string // object files that git wrote for this program, not durable yet
}

// BodyReader reads texts that are stored outside git, for which blobs stand.
type BodyReader interface {
	// Is reports whether a blob stands for a text.
	Is(blob []byte) bool

	// Fill puts texts in the place of the data of such blobs, or in Sealed why one is not to be had. With a limit, a
	// longer text is Large and left out.
	Fill(ctx context.Context, blobs []*object.Object, limit int64)
}

// Discover finds the repository around dir as git does, using the repository variables in
// environ. It finds an ordinary repository (`.git` is a folder that belongs to the user,
// no repository variables, no extensions) without starting git, and otherwise runs git.
//
// It returns [ErrNotRepository], possibly wrapped, if there is none.
func Discover(ctx context.Context, dir string, environ []string) (*Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("discover repository: %w", err)
	}
	in := process.ReadEnv(environ)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if in.Explicit {
		return discoverByGit(ctx, dir, in)
	}
	switch r, known := discoverNative(dir); {
	case !known:
		return discoverByGit(ctx, dir, in)
	case r == nil:
		return nil, fmt.Errorf("%s: %w", dir, ErrNotRepository)
	default:
		r.finish(in, nil)
		r.Ordinary = len(in.Objects) == 0
		return r, nil
	}
}

// discoverByGit runs git in the caller's own environment to find the repository.
func discoverByGit(ctx context.Context, dir string, in process.Inherited) (*Repo, error) {
	c := Command{Dir: dir, Env: append(slices.Concat(in.Rest, in.Local, in.Config), "LC_ALL=C")}
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
	if in.Common {
		pin = append(pin, "GIT_COMMON_DIR="+r.CommonDir)
	}
	r.finish(in, pin)
	if err := r.readUnusualConfig(ctx, len(in.Config) > 0); err != nil {
		return nil, fmt.Errorf("discover repository at %s: %w", dir, err)
	}
	return r, nil
}

// shapeQuestions are the questions to rev-parse about a repository. Outside a worktree the
// last one has no answer, and an error.
var shapeQuestions = []string{"--is-bare-repository", "--git-dir", "--git-common-dir", "--show-object-format=storage", "--is-inside-work-tree", "--show-toplevel"}

// shape asks all shapeQuestions, in one process if possible.
func (c Command) shape(ctx context.Context) ([]string, error) {
	n := len(shapeQuestions)
	out, err := c.Output(ctx, append([]string{"rev-parse", "--path-format=absolute"}, shapeQuestions...)...)
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

// revParse asks several questions at once; if a path in the answer contains a newline, it
// asks them one by one.
func (c Command) revParse(ctx context.Context, questions ...string) ([]string, error) {
	out, err := c.Output(ctx, append([]string{"rev-parse", "--path-format=absolute"}, questions...)...)
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

// finish builds the environment of every git process of this Repo.
func (r *Repo) finish(in process.Inherited, pin []string) {
	r.Env = slices.Clip(slices.Concat(in.Rest, in.Config, in.Objects, process.FixedVars, pin))
	r.UserEnv = slices.Clip(slices.Concat(in.Rest, in.Language(), in.Config, in.Objects, pin))
	r.objects = filepath.Join(r.CommonDir, "objects")
	if in.ObjectsDir != "" {
		r.objects = r.fromTop(in.ObjectsDir)
	}
	if in.IndexFile != "" {
		r.IndexFile = r.fromTop(in.IndexFile)
	}
	r.pending = map[object.OID]pendingObject{}
	r.tables = &tableTexts{known: map[string]tableText{}}
}

// fromTop resolves a path from git's environment, which is relative to the top.
func (r *Repo) fromTop(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(r.Dir(), path)
}

// readUnusualConfig reads the settings that native code depends on: from the repository's
// own files if nothing overrides them, otherwise from git.
func (r *Repo) readUnusualConfig(ctx context.Context, overridden bool) error {
	if cfg, ok := r.ownConfig(); ok && !overridden {
		r.FileMode, r.IgnoreCase, r.PlainLinks = cfg.fileMode, cfg.ignoreCase, cfg.plainLinks
		return nil
	}
	got, err := r.Config(ctx, "core.filemode", "core.ignorecase", "core.symlinks", "core.sharedrepository")
	if err != nil {
		return err
	}
	off := func(name string) bool {
		v, set := got[name]
		return set && slices.Contains([]string{"false", "no", "off", "0", ""}, strings.ToLower(v))
	}
	r.FileMode, r.PlainLinks = !off("core.filemode"), off("core.symlinks")
	switch v, set := got["core.ignorecase"]; strings.ToLower(v) {
	case "true", "yes", "on", "1", "":
		r.IgnoreCase = set
	}
	r.shared = object.SharedBits(got["core.sharedrepository"])
	return nil
}

// Dir returns the folder in which git commands run: the worktree's top, or the git
// directory.
func (r *Repo) Dir() string {
	if r.Top != "" {
		return r.Top
	}
	return r.GitDir
}

func (r *Repo) HashLen() int {
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
		r.reader.files.Close()
	}
	_, err := r.reader.stop()
	r.reader = nil
	return err
}
