package gather

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/git"
	"entire/internal/rescue/versions"
)

// Where says whose files are looked for, and where.
type Where struct {
	Repo *git.Repo
	// Former are other folders in which the worktree was: what is known of files there counts for it.
	Former []string
	Home   string
	// Environ is the environment of a git that works in another repository.
	Environ []string
	// Paths restricts the search to these files and folders, relative to the top, with slashes; none means all.
	Paths []string
	// Transcripts are the histories of agents that may speak of the worktree.
	Transcripts []Transcript
	// Now is the time of the search; what is said to be later is not believed to be later.
	Now time.Time
	// Progress is told what is being read, nil for nobody.
	Progress func(what string)
}

// Collector holds the evidence that was found.
type Collector struct {
	Where
	Pool     *Pool
	Evidence map[string][]versions.Evidence // by path
	Nameless []Nameless                     // contents whose path is not known
	Notes    []string                       // what was left out, and why
	Listed   map[string]Listed              // HEAD's files, by path

	reader   *git.Reader
	written  map[string]bool // the commits that branches have, by author and subject
	rewrites []int64         // when git made commits out of others, in seconds
	missing  map[string]bool // files of HEAD that the worktree misses, and other paths whose history is needed
	tops     []string
	moves    []moved
	seq      int
	count    int
	texts    int // the size of the changes that are held
	full     bool
}

// Listed is a file of HEAD.
type Listed struct {
	OID  string
	Mode uint32
}

// Nameless is a content that git has and whose path is not known.
type Nameless struct {
	Content versions.Hash
	Size    int64
	At      time.Time
	merged  bool // git wrote it while it made commits out of others
}

// Bounds of the pieces of evidence for one path, of all of them, and of the bytes of their texts.
const (
	maxPerPath = 5_000
	maxAll     = 1_000_000
	maxTexts   = 128 << 20
)

// New returns an empty collector.
func New(ctx context.Context, w Where) *Collector {
	w.Environ = slices.DeleteFunc(slices.Clone(w.Environ), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
	reader := w.Repo.Reader(ctx)
	c := &Collector{Where: w, reader: reader, Pool: newPool(w.Repo, reader), Evidence: map[string][]versions.Evidence{}}
	for _, top := range append([]string{w.Repo.Top}, w.Former...) {
		c.tops = append(c.tops, filepath.Clean(top))
		if real, err := filepath.EvalSymlinks(top); err == nil && real != filepath.Clean(top) {
			c.tops = append(c.tops, real)
		}
	}
	return c
}

// All asks every source. A source that fails is noted; only the end of ctx is an error.
func (c *Collector) All(ctx context.Context) error {
	for _, s := range []struct {
		what string
		read func(context.Context) error
	}{
		{"commits and reflogs", c.commits},
		{"staged contents", c.index},
		{"objects that no commit has", c.objects},
		{"agents' transcripts", c.transcripts},
		{"agents' snapshots", c.snapshots},
		{"editors' histories", c.editors},
	} {
		c.tell(s.what)
		if err := s.read(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			c.note(s.what + " could not be read whole: " + err.Error())
		}
	}
	if err := c.atHead(ctx); err != nil {
		return err
	}
	if err := c.copies(ctx); err != nil {
		return err
	}
	for _, m := range c.moves {
		c.missing[m.from.Path], c.missing[m.to.Path] = true, true
	}
	if err := c.history(ctx); err != nil {
		return err
	}
	return c.follow()
}

func (c *Collector) tell(what string) {
	if c.Progress != nil {
		c.Progress(what)
	}
}

func (c *Collector) note(text string) { c.Notes = append(c.Notes, text) }

// add keeps a piece of evidence of a path inside the worktree.
func (c *Collector) add(e versions.Evidence) {
	if !c.wanted(e.Path) || len(c.Evidence[e.Path]) >= maxPerPath || c.count >= maxAll {
		return
	}
	if late := e.At.Sub(c.Now); late > 0 { // it was not later than now, but the order stays
		e.At = c.Now.Add(late / 1_000_000)
	}
	c.count++
	c.Evidence[e.Path] = append(c.Evidence[e.Path], e)
}

// wanted reports whether a path is one that the search is for, and may be written.
func (c *Collector) wanted(path string) bool {
	if git.ValidPath(path) != nil || strings.HasPrefix(path, ".entire/metadata/") {
		return false
	}
	for _, p := range c.Paths {
		if p == "." || p == "" || path == p || strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/") {
			return true
		}
	}
	return len(c.Paths) == 0
}

// inside returns a path as the repository names it; false for one that is not inside the worktree. A relative
// path is below dir.
func (c *Collector) inside(path, dir string) (string, bool) {
	if !filepath.IsAbs(path) {
		if dir == "" {
			dir = c.tops[0]
		}
		path = filepath.Join(dir, path)
	}
	path = filepath.Clean(path)
	for _, top := range c.tops {
		if rest, ok := strings.CutPrefix(path, top+string(filepath.Separator)); ok {
			rest = filepath.ToSlash(rest)
			return rest, c.wanted(rest)
		}
	}
	return "", false
}

// insideAny is inside for a path that need not be wanted.
func (c *Collector) insideAny(path, dir string) (string, bool) {
	wanted := c.Paths
	c.Paths = nil
	defer func() { c.Paths = wanted }()
	return c.inside(path, dir)
}

// put keeps a content, unless it is too large to be a version of a file.
func (c *Collector) put(content []byte) (versions.Hash, int64, bool) {
	if len(content) > maxFile {
		return "", 0, false
	}
	hash, err := c.Pool.Put(content)
	return hash, int64(len(content)), err == nil
}
