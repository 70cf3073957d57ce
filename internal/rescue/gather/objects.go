package gather

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/internal/git"
	"entire/internal/rescue/versions"
)

// Bounds of what is read of git's loose objects.
const (
	maxLoose     = 400_000
	maxRootTrees = 500
	maxNameless  = 5_000
)

// objectTime returns when an object was written, as its file says; other if it has no file of its own.
func (c *Collector) objectTime(oid string, other time.Time) time.Time {
	if len(oid) < 4 {
		return other
	}
	info, err := os.Lstat(filepath.Join(c.Repo.CommonDir, "objects", oid[:2], oid[2:]))
	if err != nil {
		return other
	}
	return info.ModTime()
}

// objects reads what nothing reaches any more: commits, trees, and contents that were staged and never
// committed. Git keeps such objects as files of their own for two weeks or longer.
func (c *Collector) objects(ctx context.Context) error {
	loose, err := c.unreached(ctx)
	if err != nil || len(loose) == 0 {
		return err
	}
	kinds, err := c.kindsOf(ctx, loose)
	if err != nil {
		return err
	}
	inTrees, err := c.unreachedTrees(ctx, kinds["tree"], kinds["commit"], loose)
	if err != nil {
		return err
	}
	var commits []string
	for _, o := range kinds["commit"] {
		commits = append(commits, o.oid)
	}
	source := commitSource{words: "commit that nothing names", tips: commits}
	if err := c.readCommits(ctx, source, c.keptTips(ctx), map[string]bool{}, nil); err != nil {
		return err
	}
	return c.unreachedBlobs(kinds["blob"], inTrees)
}

// keptTips returns what branches and HEAD name.
func (c *Collector) keptTips(ctx context.Context) []string {
	out := []string{"HEAD"}
	refs, _ := c.Repo.Refs(ctx, "refs/heads/", "refs/tags/", "refs/remotes/")
	for _, r := range refs {
		out = append(out, r.OID.String())
	}
	return out
}

// looseObject is an object that has a file of its own.
type looseObject struct {
	oid  string
	at   time.Time
	size int64
}

// unreached returns the loose objects that no ref, reflog or index reaches.
func (c *Collector) unreached(ctx context.Context) (map[string]time.Time, error) {
	loose := map[string]time.Time{}
	root := filepath.Join(c.Repo.CommonDir, "objects")
	folders, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if _, err := hex.DecodeString(folder.Name()); err != nil || len(folder.Name()) != 2 {
			continue
		}
		files, err := os.ReadDir(filepath.Join(root, folder.Name()))
		if err != nil {
			continue
		}
		for _, f := range files {
			if info, err := f.Info(); err == nil && len(f.Name()) >= 38 {
				loose[folder.Name()+f.Name()] = info.ModTime()
			}
		}
		if len(loose) > maxLoose {
			c.note(fmt.Sprintf("git has more than %d objects in files of their own: not all of them were looked at (`git gc` packs those that are in use)", maxLoose))
			break
		}
	}
	if len(loose) == 0 {
		return loose, nil
	}
	out, err := c.Repo.Run(ctx, "rev-list", "--objects", "--unpacked", "--all", "--reflog", "--indexed-objects")
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(out) {
		oid, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		delete(loose, string(oid))
	}
	return loose, nil
}

// kindsOf returns the objects by their kind.
func (c *Collector) kindsOf(ctx context.Context, objects map[string]time.Time) (map[string][]looseObject, error) {
	var in strings.Builder
	for oid := range objects {
		in.WriteString(oid + "\n")
	}
	out, err := c.Repo.RunInput(ctx, []byte(in.String()), "cat-file", "--batch-check=%(objecttype) %(objectname) %(objectsize)")
	if err != nil {
		return nil, err
	}
	kinds := map[string][]looseObject{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) != 3 || words[1] == "missing" {
			continue
		}
		size, _ := strconv.ParseInt(words[2], 10, 64)
		kinds[words[0]] = append(kinds[words[0]], looseObject{oid: words[1], at: objects[words[1]], size: size})
	}
	for _, list := range kinds {
		slices.SortFunc(list, func(a, b looseObject) int { return a.at.Compare(b.at) })
	}
	return kinds, nil
}

// unreachedTrees adds the files of whole worktrees among the trees, and returns the blobs that any of the trees has.
// unreached are all objects that nothing reaches.
func (c *Collector) unreachedTrees(ctx context.Context, trees, commits []looseObject, unreached map[string]time.Time) (map[string]bool, error) {
	inTrees, below := map[string]bool{}, map[string]bool{}
	for _, o := range commits {
		if oid, err := git.ParseOID(o.oid); err == nil {
			if commit, err := c.reader.Commit(oid); err == nil {
				below[commit.Tree.String()] = true
			}
		}
	}
	entries := map[string][]git.TreeEntry{}
	for _, o := range trees {
		oid, err := git.ParseOID(o.oid)
		if err != nil || o.size > 8<<20 {
			continue
		}
		list, err := c.reader.Tree(oid)
		if err != nil {
			continue
		}
		entries[o.oid] = list
		for _, e := range list {
			if e.Mode == git.ModeTree {
				below[e.OID.String()] = true
			} else {
				inTrees[e.OID.String()] = true
			}
		}
	}
	head := c.rootNames()
	roots := 0
	for _, o := range slices.Backward(trees) {
		if list := entries[o.oid]; below[o.oid] || len(list) == 0 || !looksLikeRoot(list, head) {
			continue
		}
		if roots++; roots > maxRootTrees {
			break
		}
		if err := c.addTree(ctx, o, unreached); err != nil {
			return nil, err
		}
	}
	return inTrees, nil
}

// rootNames returns the names at the top of HEAD.
func (c *Collector) rootNames() map[string]bool {
	names := map[string]bool{}
	commit, ok, err := c.reader.CommitOf("HEAD")
	if err != nil || !ok {
		return names
	}
	list, _ := c.reader.Tree(commit.Tree)
	for _, e := range list {
		names[e.Name] = true
	}
	return names
}

// looksLikeRoot reports whether a tree is that of a whole worktree: it shares half of its names with HEAD's.
func looksLikeRoot(list []git.TreeEntry, head map[string]bool) bool {
	shared := 0
	for _, e := range list {
		if head[e.Name] {
			shared++
		}
	}
	return len(head) == 0 || 2*shared >= min(len(list), len(head))
}

// addTree adds the files of a tree that differ from HEAD's. Those that were staged before the tree was made count as
// lost; what was written together with the tree is what git merged.
func (c *Collector) addTree(ctx context.Context, o looseObject, unreached map[string]time.Time) error {
	out, err := c.Repo.Run(ctx, "diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=AM", c.base(ctx), o.oid)
	if err != nil {
		return err
	}
	words := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		change, ok := parseChange(strings.TrimPrefix(words[i], ":"))
		if ok && (change.mode == git.ModeFile || change.mode == git.ModeExec) {
			at, alone := unreached[change.blob]
			staged := alone && o.at.Sub(at) > time.Second
			c.add(versions.Evidence{Path: words[i+1], At: o.at, Source: "tree " + o.oid[:7] + " that nothing names", Content: versions.Hash(change.blob), Mode: change.mode, Size: -1, Filtered: true,
				Computed: !staged || c.isByProduct(o.at)})
		}
	}
	return nil
}

// unreachedBlobs keeps the contents that were staged once, the newest of them if there are too many.
func (c *Collector) unreachedBlobs(blobs []looseObject, inTrees map[string]bool) error {
	for _, o := range slices.Backward(blobs) {
		if inTrees[o.oid] || o.size == 0 || o.size > maxFile {
			continue
		}
		if len(c.Nameless) >= maxNameless {
			c.note(fmt.Sprintf("more than %d contents were staged and never committed: only the newest were looked at", maxNameless))
			break
		}
		c.Nameless = append(c.Nameless, Nameless{Content: versions.Hash(o.oid), Size: o.size, At: o.at, merged: c.isByProduct(o.at)})
	}
	return nil
}
