package gather

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/git"
	"entire/internal/rescue/versions"
)

// Bounds of what is read of one repository of snapshots.
const (
	maxSnapshotObjects = 300_000
	maxSnapshots       = 2_000
)

// snapshots reads the repositories in which agents' programs keep the worktree.
func (c *Collector) snapshots(ctx context.Context) error {
	var failed error
	for _, ag := range agents.All() {
		keeper, ok := ag.(agent.SnapshotKeeper)
		if !ok {
			continue
		}
		for _, top := range c.tops {
			for _, pattern := range keeper.SnapshotRepos(c.Home, top) {
				dirs, _ := filepath.Glob(pattern)
				for _, dir := range dirs {
					if err := c.snapshotRepo(ctx, dir, "a snapshot of "+string(ag.Type()), !strings.Contains(pattern, "*")); err != nil {
						failed = fmt.Errorf("%s: %w", dir, err)
					}
				}
			}
		}
	}
	return failed
}

// snapshot is one state of the worktree.
type snapshot struct {
	tree string
	at   time.Time
}

// snapshotRepo adds what the snapshots in a repository have, each compared with the one before it.
func (c *Collector) snapshotRepo(ctx context.Context, dir, source string, certain bool) error {
	if info, err := os.Lstat(filepath.Join(dir, "objects")); err != nil || !info.IsDir() {
		return nil
	}
	repo, err := git.Discover(ctx, dir, c.Environ)
	if err != nil {
		return err
	}
	defer repo.Close()
	if !certain && !c.isFor(ctx, repo) {
		return nil
	}
	list, err := snapshotsIn(ctx, repo)
	if err != nil {
		return err
	}
	before := map[string]string{}
	for _, s := range list {
		files, err := filesIn(ctx, repo, s.tree)
		if err != nil {
			return err
		}
		for path, f := range files {
			if before[path] != f.oid && c.wanted(path) {
				c.addBlob(ctx, repo, versions.Evidence{Path: path, At: s.at, Source: source, Mode: f.mode, Filtered: true}, f.oid)
			}
			before[path] = f.oid
		}
	}
	return nil
}

// isFor reports whether a repository of snapshots says that it is for this worktree.
func (c *Collector) isFor(ctx context.Context, repo *git.Repo) bool {
	conf, err := repo.Config(ctx, "core.worktree")
	return err == nil && slices.Contains(c.tops, filepath.Clean(conf["core.worktree"]))
}

// snapshotsIn returns the states that a repository has, oldest first: the trees of its commits, and those that are
// below no other tree.
func snapshotsIn(ctx context.Context, repo *git.Repo) ([]snapshot, error) {
	out, err := repo.Run(ctx, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)")
	if err != nil {
		return nil, err
	}
	reader := repo.Reader(ctx)
	var list []snapshot
	below, trees, n := map[string]bool{}, []string{}, 0
	for line := range strings.Lines(string(out)) {
		if n++; n > maxSnapshotObjects {
			break
		}
		kind, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		oid, err := git.ParseOID(name)
		if err != nil {
			continue
		}
		switch kind {
		case "commit":
			if commit, err := reader.Commit(oid); err == nil {
				list, below[commit.Tree.String()] = append(list, snapshot{commit.Tree.String(), commit.Committer.When}), true
			}
		case "tree":
			trees = append(trees, name)
			entries, err := reader.Tree(oid)
			if err != nil {
				continue
			}
			for _, e := range entries {
				if e.Mode == git.ModeTree {
					below[e.OID.String()] = true
				}
			}
		}
	}
	for _, tree := range trees {
		if info, err := os.Lstat(filepath.Join(repo.CommonDir, "objects", tree[:2], tree[2:])); err == nil && !below[tree] {
			list = append(list, snapshot{tree, info.ModTime()})
		}
	}
	slices.SortStableFunc(list, func(a, b snapshot) int { return a.at.Compare(b.at) })
	if len(list) > maxSnapshots {
		list = list[len(list)-maxSnapshots:]
	}
	return list, nil
}

// snapshotFile is a file of a snapshot.
type snapshotFile struct {
	oid  string
	mode uint32
}

func filesIn(ctx context.Context, repo *git.Repo, tree string) (map[string]snapshotFile, error) {
	out, err := repo.Run(ctx, "ls-tree", "-r", "-z", tree)
	if err != nil {
		return nil, err
	}
	files := map[string]snapshotFile{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		info, path, _ := strings.Cut(entry, "\t")
		words := strings.Fields(info)
		if len(words) != 3 || words[1] != "blob" {
			continue
		}
		mode, _ := strconv.ParseUint(words[0], 8, 32)
		if mode := uint32(mode); mode == git.ModeFile || mode == git.ModeExec {
			files[path] = snapshotFile{words[2], mode}
		}
	}
	return files, nil
}

// addBlob adds a content of another repository.
func (c *Collector) addBlob(ctx context.Context, repo *git.Repo, e versions.Evidence, oid string) {
	hash := versions.Hash(oid)
	if repo.HashLen() == c.Repo.HashLen() && (c.Pool.has(hash) || c.Pool.Known(hash)) {
		e.Content, e.Size = hash, -1
		c.add(e)
		return
	}
	found, err := repo.Reader(ctx).Small(maxFile, oid)
	if err != nil || found[0].Type != "blob" || found[0].Large {
		return
	}
	var ok bool
	if e.Content, e.Size, ok = c.put(found[0].Data); ok {
		c.add(e)
	}
}
