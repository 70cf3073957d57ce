package tombstone

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// ErrShallowHistory is returned when checkpoints are to be forgotten and the repository does
// not have the whole history of the metadata branch.
var ErrShallowHistory = errors.New("the history of " + shadow.MetadataBranch + " is incomplete here: `git fetch --unshallow` completes it")

// rewrittenMessage replaces the message of a commit that names a forgotten checkpoint and also
// changes something else.
const rewrittenMessage = "Rewritten: a checkpoint was forgotten\n"

// syncEvery is after how many commits the new objects are flushed to the disk.
const syncEvery = 1000

// A historyRewriter rewrites histories of the metadata branch without some checkpoints, as if they had
// never been written.
//
// The new commit depends only on the old commit, its ancestors and the checkpoints, so that all
// clones get the same one. Cutting is idempotent, and cutting some checkpoints and then others
// gives the same history as cutting all of them at once. Therefore clones that forget different
// checkpoints converge.
type historyRewriter struct {
	ctx          context.Context
	repo         *git.Repo
	rd           *git.Reader
	w            *git.Writer
	forgotten    []id.CheckpointID
	restsByShard map[string][]string // for each shard, the rest of the IDs in gone
	progress     func(done, total int)

	redactions metadata.Redactions
	redacted   map[string]map[string]id.CheckpointID // the checkpoints with redactions, by shard and rest

	commits map[git.OID]git.OID // the new commit for each commit that changed
	trees   map[git.OID]git.OID // trees of commits, old and new
	shards  map[string]git.OID  // the new shards, by name and old object ID; zero for an empty one
}

func newHistoryRewriter(ctx context.Context, repo *git.Repo, gone metadata.Forgotten) *historyRewriter {
	k := &historyRewriter{ctx: ctx, repo: repo, rd: repo.Reader(ctx), w: repo.Writer(), forgotten: gone.Sorted(), restsByShard: map[string][]string{},
		commits: map[git.OID]git.OID{}, trees: map[git.OID]git.OID{}, shards: map[string]git.OID{}}
	for _, cp := range k.forgotten {
		k.restsByShard[cp.Shard()] = append(k.restsByShard[cp.Shard()], cp.Rest())
	}
	return k
}

// index prepares the redactions for the rewriting.
func (k *historyRewriter) index() {
	k.redacted = map[string]map[string]id.CheckpointID{}
	for cp := range k.redactions.Folders {
		if k.redacted[cp.Shard()] == nil {
			k.redacted[cp.Shard()] = map[string]id.CheckpointID{}
		}
		k.redacted[cp.Shard()][cp.Rest()] = cp
	}
}

// rewriterOf returns the rewriter for what the last trees of histories say: which checkpoints are forgotten, and which
// are redacted.
func rewriterOf(ctx context.Context, repo *git.Repo, tips ...git.OID) (*historyRewriter, error) {
	rd := repo.Reader(ctx)
	gone, err := tombstonesOf(rd, tips...)
	if err != nil {
		return nil, err
	}
	k := newHistoryRewriter(ctx, repo, gone)
	trees, err := treesOf(rd, tips...)
	if err != nil {
		return nil, err
	}
	if k.redactions, err = metadata.ReadRedactions(rd, trees...); err != nil {
		return nil, err
	}
	k.index()
	return k, nil
}

// commitsToChange lists the commits in tip's history that brought a forgotten checkpoint or an unredacted folder.
// It is empty if and only if rewriting changes nothing.
func (k *historyRewriter) commitsToChange(tip git.OID, limit int) ([]git.OID, error) {
	held, err := k.commitsTouching(tip, limit)
	if err != nil || limit > 0 && len(held) >= limit || k.redactions.Len() == 0 || tip.IsZero() {
		return held, err
	}
	var in strings.Builder
	fmt.Fprintf(&in, "%s\n--\n", tip)
	for _, cp := range k.redactions.Sorted() {
		in.WriteString(cp.Path() + "\n")
	}
	out, err := k.repo.RunInput(k.ctx, []byte(in.String()), "rev-list", "--full-history", "--stdin")
	if err != nil {
		return nil, err
	}
	commits, err := parseOIDs(strings.Fields(string(out)))
	if err != nil {
		return nil, err
	}
	var ask chunk.Batch
	for _, commit := range commits {
		for cp := range k.redactions.Folders {
			ask.Add(commit.String()+":"+cp.Path(), func(o git.Object) error {
				if o.Type == "tree" && k.redactions.Of(cp, o.OID) != o.OID {
					held = append(held, commit)
				}
				return nil
			})
		}
	}
	return held, ask.Run(k.rd)
}

// commitsTouching lists the commits in tip's history that added, changed or removed one of the
// checkpoints, at most limit of them if that is positive. The list is empty if and only if the
// history never had any of them.
func (k *historyRewriter) commitsTouching(tip git.OID, limit int) ([]git.OID, error) {
	if len(k.forgotten) == 0 || tip.IsZero() {
		return nil, nil
	}
	var in strings.Builder
	fmt.Fprintf(&in, "%s\n--\n", tip)
	for _, cp := range k.forgotten {
		in.WriteString(cp.Path() + "\n" + metadata.HistoryPath(cp) + "\n")
	}
	args := []string{"rev-list", "--full-history", "--stdin"}
	if limit > 0 {
		args = append(args, fmt.Sprint("--max-count=", limit))
	}
	out, err := k.repo.RunInput(k.ctx, []byte(in.String()), args...)
	if err != nil {
		return nil, err
	}
	return parseOIDs(strings.Fields(string(out)))
}

func parseOIDs(names []string) ([]git.OID, error) {
	oids := make([]git.OID, len(names))
	for i, name := range names {
		var err error
		if oids[i], err = git.ParseOID(name); err != nil {
			return nil, err
		}
	}
	return oids, nil
}

// rewrite returns the history that ends in tip without the checkpoints; tip itself if they were
// never in it. It moves no ref. The objects are durable.
func (k *historyRewriter) rewrite(tip git.OID) (git.OID, error) {
	if done, ok := k.commits[tip]; ok {
		return done, nil
	}
	touched, err := k.commitsToChange(tip, 0)
	if err != nil || len(touched) == 0 {
		return tip, err
	}
	out, err := k.repo.Run(k.ctx, "rev-list", "--topo-order", "--reverse", "--parents", tip.String())
	if err != nil {
		return git.OID{}, err
	}
	holds := make(map[git.OID]bool, len(touched))
	for _, c := range touched {
		holds[c] = true
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	known := make(map[git.OID]bool, len(lines))
	for i, line := range lines {
		family, err := parseOIDs(strings.Fields(line))
		if err != nil {
			return git.OID{}, err
		}
		known[family[0]] = true
		if _, done := k.commits[family[0]]; done {
			continue
		}
		if holds[family[0]] || slices.ContainsFunc(family[1:], func(p git.OID) bool { return !k.commits[p].IsZero() }) {
			if err := k.commit(family[0], known); err != nil {
				return git.OID{}, err
			}
		}
		if err := k.reportProgress(i+1, len(lines)); err != nil {
			return git.OID{}, err
		}
	}
	if new, changed := k.commits[tip]; changed {
		tip = new
	}
	return tip, k.w.Sync()
}

// reportProgress reports progress and regularly flushes the new objects.
func (k *historyRewriter) reportProgress(done, total int) error {
	if k.progress != nil {
		k.progress(done, total)
	}
	if done%syncEvery == 0 {
		return errors.Join(k.ctx.Err(), k.w.Sync())
	}
	return nil
}

// commit rewrites one commit whose parents are done. A commit that changed nothing but the
// checkpoints is left out: its parent takes its place.
func (k *historyRewriter) commit(oid git.OID, known map[git.OID]bool) error {
	c, err := k.rd.Commit(oid)
	if err != nil {
		return err
	}
	tree, err := k.root(c.Tree)
	if err != nil {
		return err
	}
	var parents []git.OID
	for _, p := range c.Parents {
		if !known[p] {
			return ErrShallowHistory
		}
		if new, changed := k.commits[p]; changed {
			p = new
		}
		if !slices.Contains(parents, p) {
			parents = append(parents, p)
		}
	}
	switch {
	case len(parents) == 0 && tree == k.repo.EmptyTree() && tree != c.Tree:
		k.commits[oid], err = metadata.InitialCommit(k.repo)
		return err
	case tree == c.Tree && slices.Equal(parents, c.Parents):
		return nil
	case len(parents) == 1:
		emptied, err := k.isEmptied(c, tree, parents[0])
		if err != nil || emptied {
			k.commits[oid] = parents[0]
			return err
		}
	}
	new := git.Commit{Tree: tree, Parents: parents, Author: c.Author, Committer: c.Committer, Message: c.Message}
	if slices.ContainsFunc(k.forgotten, func(cp id.CheckpointID) bool { return strings.Contains(c.Message, cp.String()) }) {
		new.Message = rewrittenMessage
	}
	k.commits[oid], err = k.w.Commit(new)
	k.trees[k.commits[oid]] = tree
	return err
}

// isEmptied reports whether a commit that made a change makes none after the cut.
func (k *historyRewriter) isEmptied(c git.Commit, tree, parent git.OID) (bool, error) {
	if now, err := k.treeOf(parent); err != nil || now != tree {
		return false, err
	}
	if len(c.Parents) != 1 {
		return true, nil
	}
	before, err := k.treeOf(c.Parents[0])
	return before != c.Tree, err
}

func (k *historyRewriter) treeOf(commit git.OID) (git.OID, error) {
	if tree, known := k.trees[commit]; known {
		return tree, nil
	}
	c, err := k.rd.Commit(commit)
	if err == nil {
		k.trees[commit] = c.Tree
	}
	return c.Tree, err
}

// root returns a tree of the branch without the checkpoints. It reads only their shards, each
// version once.
func (k *historyRewriter) root(tree git.OID) (git.OID, error) {
	entries, err := k.rd.Tree(tree)
	if err != nil {
		return git.OID{}, err
	}
	changed := false
	for i, e := range entries {
		if e.Name == metadata.HistoryFolder && e.Mode == git.ModeTree {
			oid, err := k.histories(e.OID)
			if err != nil {
				return git.OID{}, err
			}
			changed = changed || oid != e.OID
			entries[i].OID = oid
			continue
		}
		if k.restsByShard[e.Name] == nil && k.redacted[e.Name] == nil || e.Mode != git.ModeTree {
			continue
		}
		oid, err := k.shard(e)
		if err != nil {
			return git.OID{}, err
		}
		changed = changed || oid != e.OID
		entries[i].OID = oid
	}
	if !changed {
		return tree, nil
	}
	return k.w.Tree(slices.DeleteFunc(entries, func(e git.TreeEntry) bool { return e.OID.IsZero() }))
}

// histories returns a tree of histories of refs without those of the checkpoints; zero for an empty one.
func (k *historyRewriter) histories(tree git.OID) (git.OID, error) {
	key := metadata.HistoryFolder + tree.String()
	if oid, done := k.shards[key]; done {
		return oid, nil
	}
	var edits []git.Edit
	for _, cp := range k.forgotten {
		edits = append(edits, git.Edit{Path: strings.TrimPrefix(metadata.HistoryPath(cp), metadata.HistoryFolder+"/")})
	}
	oid, err := k.repo.EditTree(k.ctx, tree, edits)
	if oid == k.repo.EmptyTree() {
		oid = git.OID{}
	}
	k.shards[key] = oid
	return oid, err
}

func (k *historyRewriter) shard(e git.TreeEntry) (git.OID, error) {
	key := e.Name + e.OID.String()
	if oid, done := k.shards[key]; done {
		return oid, nil
	}
	entries, err := k.rd.Tree(e.OID)
	if err != nil {
		return git.OID{}, err
	}
	left := slices.DeleteFunc(slices.Clone(entries), func(f git.TreeEntry) bool { return slices.Contains(k.restsByShard[e.Name], f.Name) })
	oid, redacted := e.OID, false
	for i, f := range left {
		if cp, ok := k.redacted[e.Name][f.Name]; ok {
			left[i].OID = k.redactions.Of(cp, f.OID)
			redacted = redacted || left[i].OID != f.OID
		}
	}
	switch {
	case len(left) == 0:
		oid = git.OID{}
	case len(left) < len(entries) || redacted:
		oid, err = k.w.Tree(left)
	}
	k.shards[key] = oid
	return oid, err
}
