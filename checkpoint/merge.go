package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/internal/git"
)

// mergeMessage is that of a commit which joins two histories, as other tools
// write it.
const mergeMessage = "Merge remote session logs"

// maxBaseDepth bounds how far the common bases of histories that were merged
// crosswise are themselves merged. Beyond it nothing counts as deleted.
const maxBaseDepth = 32

// Merge joins the history that ends in theirs into the local metadata branch,
// and says whether that moved it. It starts the branch where there is none.
func Merge(ctx context.Context, repo *git.Repo, theirs git.OID) (moved bool, err error) {
	err = UpdateMetadata(ctx, repo, nil, func(tip git.OID) (git.OID, error) {
		merged, err := BuildMerge(ctx, repo, tip, theirs)
		moved = merged != tip
		return merged, err
	})
	return moved, err
}

// BuildMerge makes the commit that joins two histories of the metadata branch,
// which may have nothing in common. Where one contains the other already, that
// one is the answer. It moves no ref.
//
// It is a pure function of the two: whoever merges them, in whatever order, gets
// the same commit, so that clones which exchange their branches end up with one.
//
// A checkpoint is kept as the side left it that changed it; if both did, session
// by session (see mergeCheckpoint). One that a side deleted is gone, unless the
// other side changed it meanwhile. Nothing else of either side is lost.
//
// What either side has forgotten (see [Forget]) is taken out of both histories
// first, so that the answer reaches it through neither.
func BuildMerge(ctx context.Context, repo *git.Repo, ours, theirs git.OID) (git.OID, error) {
	clean, err := honoured(ctx, repo, []git.OID{ours, theirs})
	if err != nil {
		return git.OID{}, fmt.Errorf("merge checkpoints: %w", err)
	}
	ours, theirs = clean[0], clean[1]
	if ours.IsZero() || theirs.IsZero() {
		return cmpOr(ours, theirs), nil
	}
	m := &merger{ctx: ctx, repo: repo, rd: repo.Reader(ctx), w: repo.Writer(), virtual: map[string]git.OID{}}
	bases, err := m.bases(ours, theirs)
	if err != nil {
		return git.OID{}, fmt.Errorf("merge checkpoints: %w", err)
	}
	switch {
	case slices.Contains(bases, theirs):
		return ours, nil
	case slices.Contains(bases, ours):
		return theirs, nil
	}
	oid, err := m.join(sortOIDs([]git.OID{ours, theirs}))
	if err != nil {
		return git.OID{}, fmt.Errorf("merge checkpoints: %w", err)
	}
	return oid, m.w.Sync()
}

func cmpOr(a, b git.OID) git.OID {
	if a.IsZero() {
		return b
	}
	return a
}

// merger is one merge. All its answers are symmetric: its two sides may be
// exchanged.
type merger struct {
	ctx     context.Context
	repo    *git.Repo
	rd      *git.Reader
	w       *git.Writer
	virtual map[string]git.OID // trees of bases that were merged crosswise
}

// join writes the merge commit. Its author is nobody and its time the later of
// its parents', so that it is the same wherever it is made.
func (m *merger) join(parents []git.OID) (git.OID, error) {
	tree, err := m.fold(parents, 0)
	if err != nil {
		return git.OID{}, err
	}
	var when time.Time
	for _, p := range parents {
		c, err := m.rd.Commit(p)
		if err != nil {
			return git.OID{}, err
		}
		if c.Committer.When.After(when) {
			when = c.Committer.When.UTC()
		}
	}
	who := signature(git.Signature{When: when})
	return m.w.Commit(git.Commit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: mergeMessage})
}

// fold is the tree that merging commits, sorted, one after the other gives.
func (m *merger) fold(commits []git.OID, depth int) (git.OID, error) {
	key := fmt.Sprint(commits)
	if tree, done := m.virtual[key]; done {
		return tree, nil
	}
	tree, err := m.tree(commits[0])
	for i := 1; i < len(commits) && err == nil; i++ {
		var base, other git.OID
		if base, err = m.base(commits[i], commits[:i], depth); err != nil {
			break
		}
		if other, err = m.tree(commits[i]); err == nil {
			tree, err = m.trees("", base, tree, other)
		}
	}
	if err == nil && tree.IsZero() {
		tree, err = m.w.Tree(nil)
	}
	if err == nil {
		err = m.w.Sync() // what was merged may be read as a base
	}
	m.virtual[key] = tree
	return tree, err
}

// base is the tree that a commit and the merge of others have in common; zero
// for none. Several best common ancestors are merged first, as git does.
func (m *merger) base(commit git.OID, others []git.OID, depth int) (git.OID, error) {
	bases, err := m.bases(commit, others...)
	if err != nil || len(bases) == 0 || depth >= maxBaseDepth {
		return git.OID{}, err
	}
	return m.fold(sortOIDs(bases), depth+1)
}

// bases are the best common ancestors of a commit and the merge of others.
func (m *merger) bases(commit git.OID, others ...git.OID) ([]git.OID, error) {
	args := []string{"merge-base", "--all", commit.String()}
	for _, o := range others {
		args = append(args, o.String())
	}
	out, err := m.repo.Run(m.ctx, args...)
	var exit *git.ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var bases []git.OID
	for _, line := range strings.Fields(string(out)) {
		oid, err := git.ParseOID(line)
		if err != nil {
			return nil, err
		}
		bases = append(bases, oid)
	}
	return bases, nil
}

func (m *merger) tree(commit git.OID) (git.OID, error) {
	c, err := m.rd.Commit(commit)
	return c.Tree, err
}

func sortOIDs(oids []git.OID) []git.OID {
	slices.SortFunc(oids, func(a, b git.OID) int { return strings.Compare(a.String(), b.String()) })
	return oids
}
