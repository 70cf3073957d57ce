package lineage

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/checkpoint/metadata"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/lineage/gitblame"
)

// Options configures a Resolver. The zero value is valid.
type Options struct {
	// Uncommitted returns the origin of each line of a file of the worktree, from the
	// changes since HEAD. Nil means that this is unknown. What it returns for lines that
	// HEAD has is ignored.
	Uncommitted func(ctx context.Context, path string) ([]Origin, error)

	// Unlinked returns commits that contain an agent's work but name no checkpoint, and
	// the agents' lines that sessions remember of such commits, by print; the owner of a line that
	// several remember is unknown. Nil means that this is unknown.
	Unlinked func(ctx context.Context) ([]git.OID, map[attribution.Print]attribution.RecordOwner, error)

	// CacheDir is the directory that keeps the list of recorded files and git's answers between runs; ""
	// disables the cache. Its files may be deleted at any time.
	CacheDir string
}

// Resolver finds the origins of lines in one repository. It remembers what it has read and
// is not safe for concurrent use.
type Resolver struct {
	repo       *git.Repo
	blame      gitblame.Blamer
	records    *lineRecords
	opts       Options
	unlinked   *unlinked                // see Resolver.unlinkedWork; nil until needed
	baseline   *baseline                // see Resolver.baselineCommit; nil until needed
	pastByPath map[string][]pastVersion // see Resolver.pastVersions
	inHistory  bool                     // see Resolver.forHistory
	without    []id.CheckpointID        // likewise
	made       map[git.OID]bool         // see Resolver.madeHere; nil until needed
	edges      string                   // see gitblame.Edges

	links    metadata.Links // nil until needed
	commits  map[git.OID]*commit
	versions map[versionKey]*version
	blobs    map[versionKey]git.OID
	trees    map[git.OID][]git.TreeEntry
	compared attribution.Workspace
	ready    map[git.OID]git.Object // texts that were read ahead
}

// New returns a Resolver for repo.
func New(repo *git.Repo, opts Options) *Resolver {
	return &Resolver{
		repo: repo, blame: gitblame.Blamer{Repo: repo, CacheDir: opts.CacheDir}, records: newRecords(repo, opts.CacheDir), opts: opts,
		commits: map[git.OID]*commit{}, versions: map[versionKey]*version{}, edges: gitblame.Edges(repo),
		blobs: map[versionKey]git.OID{}, trees: map[git.OID][]git.TreeEntry{{}: nil},
	}
}

// commit is a commit with its checkpoints: those that its message names and those that a
// stored link names.
type commit struct {
	git.Commit
	checkpoints  []id.CheckpointID
	namesForeign bool // it also names a checkpoint in another format version, which may record an agent's work
	loaded       map[id.CheckpointID]*attribution.Record

	changes       []git.Change // to the first parent; see Resolver.changed
	diffed        bool
	holdsRecorded *bool // see Resolver.holdsRecorded
	enabled       *bool // see Resolver.enabled
	added         *int  // see Resolver.linesAdded
}

// records yields the records of the commit's checkpoints that have one, the last named first.
func (c *commit) records() iter.Seq2[id.CheckpointID, *attribution.Record] {
	return func(yield func(id.CheckpointID, *attribution.Record) bool) {
		for _, cp := range slices.Backward(c.checkpoints) {
			if rec := c.loaded[cp]; rec != nil && !yield(cp, rec) {
				return
			}
		}
	}
}

// unlessForeign returns o, or unknown if a checkpoint without a line record may hold the line as an agent's.
func (c *commit) unlessForeign(o Origin) Origin {
	foreign := c.namesForeign || slices.ContainsFunc(c.checkpoints, func(cp id.CheckpointID) bool { return cp.IsULID() && c.loaded[cp] == nil })
	if foreign && (o.Owner.Class == attribution.ClassHuman || o.Evidence == None || o.Evidence == NotEnabled) {
		return unknown(Unreadable)
	}
	return o
}

// load reads commits that are not loaded yet, and the records of their checkpoints.
func (r *Resolver) load(ctx context.Context, oids []git.OID) error {
	var specs []string
	for _, oid := range oids {
		if _, known := r.commits[oid]; !known && !oid.IsZero() {
			r.commits[oid] = nil
			specs = append(specs, oid.String())
		}
	}
	objs, err := r.repo.Reader(ctx).Objects(specs...)
	if err != nil {
		return err
	}
	if r.links == nil {
		if r.links, err = r.records.links(ctx); err != nil {
			return err
		}
	}
	var cps []id.CheckpointID
	for _, o := range objs {
		if o.Type != "commit" {
			continue
		}
		c, err := git.ParseCommit(o.OID, o.Data)
		if err != nil {
			return err
		}
		named := r.links.Of(o.OID, c.Message)
		r.commits[o.OID] = &commit{Commit: gitblame.Cut(c, r.edges), checkpoints: named, loaded: r.records.loaded, namesForeign: len(trailer.ForeignCheckpoints(c.Message)) > 0}
		cps = append(cps, named...)
	}
	return r.records.load(ctx, cps)
}

// versionKey names the version of a file in a commit.
type versionKey struct {
	commit git.OID
	path   string
}

// locate finds the blobs of files in commits; zero for a file that is not there.
func (r *Resolver) locate(ctx context.Context, keys []versionKey) error {
	type cursor struct {
		tree git.OID
		rest string
		key  versionKey
	}
	var level []cursor
	for _, k := range keys {
		if _, known := r.blobs[k]; known || r.commits[k.commit] == nil {
			continue
		}
		r.blobs[k] = git.OID{}
		level = append(level, cursor{r.commits[k.commit].Tree, k.path, k})
	}
	for len(level) > 0 {
		oids := make([]git.OID, len(level))
		for i, c := range level {
			oids[i] = c.tree
		}
		if err := r.readTrees(ctx, oids); err != nil {
			return err
		}
		var next []cursor
		for _, c := range level {
			name, rest, deeper := strings.Cut(c.rest, "/")
			for _, e := range r.trees[c.tree] {
				switch {
				case e.Name != name:
				case deeper && e.Mode == git.ModeTree:
					next = append(next, cursor{e.OID, rest, c.key})
				case !deeper && e.Mode != git.ModeTree && e.Mode != git.ModeGitlink:
					r.blobs[c.key] = e.OID
				}
			}
		}
		level = next
	}
	return nil
}

// readTrees reads trees that are not loaded yet.
func (r *Resolver) readTrees(ctx context.Context, oids []git.OID) error {
	var ask []git.OID
	for _, oid := range oids {
		if _, known := r.trees[oid]; !known {
			r.trees[oid] = nil
			ask = append(ask, oid)
		}
	}
	got, err := r.repo.Reader(ctx).Trees(ask...)
	if err != nil {
		return err
	}
	for i, oid := range ask {
		r.trees[oid] = got[i]
	}
	return nil
}

// parentOf returns the first parent; nil for a root commit, or if the parent is missing.
func (r *Resolver) parentOf(ctx context.Context, c *commit) (*commit, error) {
	if len(c.Parents) == 0 {
		return nil, nil
	}
	if err := r.load(ctx, c.Parents[:1]); err != nil {
		return nil, err
	}
	return r.commits[c.Parents[0]], nil
}

// changed returns the files that differ between a commit and its first parent, without
// .entire.
func (r *Resolver) changed(ctx context.Context, c *commit) ([]git.Change, error) {
	if c.diffed {
		return c.changes, nil
	}
	parent, err := r.parentOf(ctx, c)
	if err != nil {
		return nil, err
	}
	var below git.OID
	if parent != nil {
		below = parent.Tree
	}
	c.changes, err = r.repo.DiffTrees(ctx, below, c.Tree, ".entire")
	c.diffed = err == nil
	return c.changes, err
}

// enabledPath is the committed settings file, which says whether the tool is enabled.
const enabledPath = ".entire/settings.json"

// enabled reports whether the tool was enabled when the commit was made.
func (r *Resolver) enabled(ctx context.Context, c *commit) (bool, error) {
	if c.enabled != nil {
		return *c.enabled, nil
	}
	key := versionKey{c.OID, enabledPath}
	if err := r.locate(ctx, []versionKey{key}); err != nil {
		return false, err
	}
	on := false
	if oid := r.blobs[key]; !oid.IsZero() {
		data, err := r.repo.Reader(ctx).Blob(oid)
		if err != nil {
			return false, err
		}
		on = gjson.ValidBytes(data) && gjson.GetBytes(data, "enabled").Type != gjson.False
	}
	c.enabled = &on
	return on, nil
}
