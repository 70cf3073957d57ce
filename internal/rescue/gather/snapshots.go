package gather

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
		var patterns []string
		for _, top := range c.tops {
			patterns = append(patterns, keeper.SnapshotRepos(c.Home, top)...)
		}
		for _, pattern := range patterns {
			dirs, _ := filepath.Glob(pattern)
			for _, dir := range dirs {
				if err := c.snapshotRepo(ctx, dir, "a snapshot of "+string(ag.Type()), !strings.Contains(pattern, "*")); err != nil {
					failed = fmt.Errorf("%s: %w", dir, err)
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
	return c.addSnapshots(ctx, repo, list, source)
}

// addSnapshots adds what each state changed of the one before it.
func (c *Collector) addSnapshots(ctx context.Context, repo *git.Repo, list []snapshot, source string) error {
	var in strings.Builder
	before, times := repo.EmptyTree().String(), map[string]time.Time{}
	for _, s := range list {
		if s.tree != before {
			in.WriteString(before + " " + s.tree + "\n")
			before = s.tree
		}
		if _, earlier := times[s.tree]; !earlier {
			times[s.tree] = s.at
		}
	}
	var at time.Time
	var change rawChange
	open := false
	err := eachField(ctx, repo, in.String(), func(field string) {
		if open {
			open = false
			if c.wanted(field) && (change.mode == git.ModeFile || change.mode == git.ModeExec) {
				c.addBlob(ctx, repo, versions.Evidence{Path: field, At: at, Source: source, Mode: change.mode, Filtered: true}, change.blob)
			}
			return
		}
		if pair, rest, ok := strings.Cut(field, "\n"); ok { // which trees are compared
			_, tree, _ := strings.Cut(pair, " ")
			at, field = times[tree], rest
		}
		change, open = parseChange(strings.TrimPrefix(field, ":"))
	}, "diff-tree", "--stdin", "-r", "--raw", "-z", "--no-abbrev", "--no-renames")
	if err != nil {
		return fmt.Errorf("compare snapshots: %w", err)
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
