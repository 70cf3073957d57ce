package sealing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"entire/checkpoint/epoch"
	"entire/checkpoint/merge"
	"entire/checkpoint/metadata"
	"entire/checkpoint/rewrite"
	"entire/id"
	"entire/internal/git"
)

// Drop moves the local branch to a history without the checkpoints that epochs have. left counts
// those that say more than the epoch, which stay until the next sealing.
func Drop(ctx context.Context, repo *git.Repo) (left int, err error) {
	if old, _, err := metadata.Tip(ctx, repo); err != nil || old.IsZero() {
		return 0, err
	}
	err = metadata.UpdateMetadata(ctx, repo, nil, func(tip git.OID) (git.OID, error) {
		var next git.OID
		var err error
		next, left, err = Without(ctx, repo, tip)
		return next, err
	})
	if err != nil {
		return left, fmt.Errorf("remove sealed checkpoints from the branch: %w", err)
	}
	return left, nil
}

// Without returns the history that ends in tip, without the checkpoints that epochs have. It
// moves no ref; the objects are durable. A zero tip stays zero.
//
// The old history up to the last commit that has only sealed checkpoints becomes one commit with all else that it has;
// the commits after it are made again.
func Without(ctx context.Context, repo *git.Repo, tip git.OID) (next git.OID, left int, err error) {
	set, err := epoch.Load(ctx, repo)
	if err != nil || len(set) == 0 || tip.IsZero() {
		return tip, 0, err
	}
	rd := repo.Reader(ctx)
	c, err := rd.Commit(tip)
	if err != nil {
		return git.OID{}, 0, err
	}
	if set, err = counts(ctx, repo, set, c.Tree); err != nil || len(set) == 0 {
		return tip, 0, err
	}
	sealed, left, err := sealedBelow(ctx, repo, set, c.Tree)
	if err != nil || len(sealed) == 0 {
		return tip, left, err
	}
	h := &history{ctx: ctx, sealed: sealed}
	h.Rewriter = rewrite.New(ctx, repo, h.folder)
	if h.marks, err = h.markers(set, c.Tree); err != nil {
		return git.OID{}, left, err
	}
	next, err = h.without(tip)
	return next, left, err
}

// sealedBelow returns the checkpoints of a root that epochs have in the same version, or in one to which the version
// below the root adds nothing, and counts those to which it does.
func sealedBelow(ctx context.Context, repo *git.Repo, set epoch.Set, root git.OID) (map[id.CheckpointID]bool, int, error) {
	rd := repo.Reader(ctx)
	folders, err := foldersBelow(rd, root)
	if err != nil {
		return nil, 0, err
	}
	ids := make([]id.CheckpointID, len(folders))
	for i, f := range folders {
		ids[i] = f.ID
	}
	rows, absent, err := set.Find(rd, ids)
	if err != nil {
		return nil, 0, err
	}
	same, left := map[id.CheckpointID]bool{}, len(absent)
	for _, f := range folders {
		row, ok := rows[f.ID]
		if !ok {
			continue
		}
		joined, err := merge.Folders(ctx, repo, f.ID, row.Tree, f.Tree)
		switch {
		case errors.Is(err, git.ErrMissing):
			left++ // the epoch's version is not in this clone
		case err != nil:
			return nil, 0, err
		case joined == row.Tree:
			same[f.ID] = true
		default:
			left++
		}
	}
	return same, left, nil
}

// A history is one rewriting of the branch.
type history struct {
	*rewrite.Rewriter
	ctx    context.Context
	sealed map[id.CheckpointID]bool
	marks  git.OID // the folder that names the sealed months
}

// folder returns zero for a sealed checkpoint.
func (h *history) folder(shard string, e git.TreeEntry) git.OID {
	if cp, err := id.NewCheckpointID(shard + e.Name); err == nil && e.Mode == git.ModeTree && h.sealed[cp] {
		return git.OID{}
	}
	return e.OID
}

// without rewrites the history of tip from the last commit that sealed, without the checkpoints that are in epochs,
// and returns its new tip.
func (h *history) without(tip git.OID) (git.OID, error) {
	cut, err := h.lastSealed(tip)
	if err != nil {
		return git.OID{}, err
	}
	base, err := h.base(cut)
	if err != nil || cut == tip {
		return base, errors.Join(err, h.Writer.Sync())
	}
	revisions := []string{tip.String()}
	if !cut.IsZero() {
		revisions = append(revisions, "^"+cut.String())
	}
	err = h.Each(h.ctx, revisions, func(commit git.OID, _ []git.OID) error { return h.commit(commit, base) })
	next, _ := h.Replaced(tip)
	return next, err
}

// lastSealed returns the newest commit of tip's first parents up to which the branch has only sealed checkpoints; zero
// if there is none.
func (h *history) lastSealed(tip git.OID) (git.OID, error) {
	out, err := h.Repo.Run(h.ctx, "rev-list", "--first-parent", "--reverse", tip.String())
	if err != nil {
		return git.OID{}, err
	}
	chain := strings.Fields(string(out))
	var failed error
	first := sort.Search(len(chain), func(i int) bool {
		open, err := h.hasOpen(chain[i])
		if err != nil {
			failed = err
		}
		return open
	})
	if failed != nil || first == 0 {
		return git.OID{}, failed
	}
	return git.ParseOID(chain[first-1])
}

// hasOpen reports whether a commit has a checkpoint that is not sealed.
func (h *history) hasOpen(commit string) (bool, error) {
	oid, err := git.ParseOID(commit)
	if err != nil {
		return false, err
	}
	c, err := h.Reader.Commit(oid)
	if err != nil {
		return false, err
	}
	folders, err := foldersBelow(h.Reader, c.Tree)
	for _, f := range folders {
		if !h.sealed[f.ID] {
			return true, nil
		}
	}
	return false, err
}

// baseMessage is the message of the commit that stands for a history whose checkpoints are sealed.
const baseMessage = "Checkpoints before this are sealed\n"

// base returns the commit that stands for everything up to cut: the branch's first commit, with what else cut has in one
// commit on top.
func (h *history) base(cut git.OID) (git.OID, error) {
	first, err := metadata.InitialCommit(h.Repo)
	if err != nil || cut.IsZero() {
		return first, err
	}
	c, err := h.Reader.Commit(cut)
	if err != nil {
		return git.OID{}, err
	}
	tree, err := h.root(c.Tree)
	if err != nil {
		return git.OID{}, err
	}
	who := metadata.Signature(git.Signature{When: c.Committer.When.UTC()})
	return h.Write(git.Commit{Tree: tree, Parents: []git.OID{first}, Author: who, Committer: who, Message: baseMessage})
}

// commit makes one commit again, whose parents are done. A commit that only changed sealed checkpoints is left out.
func (h *history) commit(oid, base git.OID) error {
	c, err := h.Reader.Commit(oid)
	if err != nil {
		return err
	}
	tree, err := h.root(c.Tree)
	if err != nil {
		return err
	}
	parents, err := rewrite.Parents(c, func(p git.OID) (git.OID, error) {
		if now, done := h.Replaced(p); done {
			return now, nil
		}
		return base, nil
	})
	if err != nil {
		return err
	}
	if len(parents) == 0 {
		parents = []git.OID{base}
	}
	if len(parents) == 1 {
		before, err := h.TreeOf(parents[0])
		if err != nil || before == tree {
			h.Replace(oid, parents[0])
			return err
		}
	}
	return h.Remake(c, tree, parents, c.Message)
}

// root returns a tree of the branch without what is sealed.
func (h *history) root(tree git.OID) (git.OID, error) {
	entries, err := h.Reader.Tree(tree)
	if err != nil {
		return git.OID{}, err
	}
	entries = slices.DeleteFunc(slices.Clone(entries), func(e git.TreeEntry) bool { return e.Name == markFolder })
	for i, e := range entries {
		if e.Mode == git.ModeTree && len(e.Name) == 2 {
			if entries[i].OID, err = h.Shard(e); err != nil {
				return git.OID{}, err
			}
		}
	}
	entries = slices.DeleteFunc(entries, func(e git.TreeEntry) bool { return e.OID.IsZero() })
	return h.Writer.Tree(append(entries, git.TreeEntry{Mode: git.ModeTree, Name: markFolder, OID: h.marks}))
}
