package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/git"
)

// mergeMessage is the message of a commit that joins two histories, as other tools write it.
const mergeMessage = "Merge remote session logs"

// maxBaseDepth bounds how deep the common bases of criss-cross merges are themselves merged.
// Below that depth nothing counts as deleted.
const maxBaseDepth = 32

// Merge merges the history that ends in theirs into the local metadata branch, and reports
// whether the branch moved. It creates the branch if there is none.
func Merge(ctx context.Context, repo *git.Repo, theirs git.OID) (moved bool, err error) {
	err = metadata.UpdateMetadata(ctx, repo, nil, func(tip git.OID) (git.OID, error) {
		merged, err := buildMerge(ctx, repo, tip, theirs)
		moved = merged != tip
		return merged, err
	})
	return moved, err
}

// buildMerge makes the commit that merges two histories of the metadata branch, which may have
// nothing in common. If one contains the other, buildMerge returns that one. It moves no ref.
//
// The result depends only on the two histories and not on their order, so that clones which
// exchange their branches converge.
//
// If one side changed a checkpoint, its version is kept; if both did, it is merged session by
// session (see merger.checkpoint). A checkpoint that one side deleted is gone, unless the other
// side changed it meanwhile. Nothing else of either side is lost.
//
// buildMerge first removes from both histories what either has forgotten (see [tombstone.Forget]), so
// that neither of them brings it into the result.
func buildMerge(ctx context.Context, repo *git.Repo, ours, theirs git.OID) (git.OID, error) {
	clean, err := tombstone.WithoutForgotten(ctx, repo, []git.OID{ours, theirs})
	if err != nil {
		return git.OID{}, fmt.Errorf("merge checkpoints: %w", err)
	}
	ours, theirs = clean[0], clean[1]
	if ours.IsZero() || theirs.IsZero() {
		return firstNonZero(ours, theirs), nil
	}
	m := newMerger(ctx, repo)
	oid, err := m.histories(ours, theirs)
	if err != nil {
		return git.OID{}, fmt.Errorf("merge checkpoints: %w", err)
	}
	return oid, m.w.Sync()
}

// Folders merges two versions of a checkpoint that have no common base, and returns the tree of the result, which does
// not depend on their order.
func Folders(ctx context.Context, repo *git.Repo, cp id.CheckpointID, a, b git.OID) (git.OID, error) {
	if a == b {
		return a, nil
	}
	m := newMerger(ctx, repo)
	tree, err := m.folders(cp, git.OID{}, a, b)
	if err != nil {
		return git.OID{}, fmt.Errorf("merge checkpoint %s: %w", cp, err)
	}
	return tree, m.w.Sync()
}

// folders merges two versions of a checkpoint; base is zero for none.
func (m *merger) folders(cp id.CheckpointID, base, a, b git.OID) (git.OID, error) {
	entry := func(oid git.OID) git.TreeEntry {
		if oid.IsZero() {
			return git.TreeEntry{}
		}
		return git.TreeEntry{Mode: git.ModeTree, Name: cp.Rest(), OID: oid}
	}
	t := threeWay{entry(base), entry(a), entry(b)}
	e, ok := t.resolved()
	if ok {
		return e.OID, nil
	}
	e, err := m.checkpoint(cp, t)
	return e.OID, err
}

func firstNonZero(a, b git.OID) git.OID {
	if a.IsZero() {
		return b
	}
	return a
}

// merger is one merge. All its results are symmetric: the two sides may be exchanged.
type merger struct {
	ctx         context.Context
	repo        *git.Repo
	rd          *git.Reader
	w           *git.Writer
	mergedBases map[string]git.OID   // the trees of merged bases, by their commits
	knownBases  map[string][]git.OID // what git said, by the question

	join  func(base, a, b git.OID) (git.OID, error) // merges the trees of two commits
	inRef bool                                      // the trees are checkpoints in refs of their own
}

// newMerger returns a merger of histories of the branch.
func newMerger(ctx context.Context, repo *git.Repo) *merger {
	m := &merger{ctx: ctx, repo: repo, rd: repo.Reader(ctx), w: repo.Writer(), mergedBases: map[string]git.OID{}, knownBases: map[string][]git.OID{}}
	m.join = func(base, a, b git.OID) (git.OID, error) { return m.trees("", base, a, b) }
	return m
}

// histories returns the commit that merges two histories, one of them if it contains the other.
func (m *merger) histories(ours, theirs git.OID) (git.OID, error) {
	for _, pair := range [][2]git.OID{{ours, theirs}, {theirs, ours}} {
		if newer, err := Descends(m.rd, pair[0], pair[1]); err != nil || newer {
			return pair[0], err
		}
	}
	bases, err := m.bases(ours, theirs)
	switch {
	case err != nil:
		return git.OID{}, err
	case slices.Contains(bases, theirs):
		return ours, nil
	case slices.Contains(bases, ours):
		return theirs, nil
	}
	return m.mergeCommit(sortOIDs([]git.OID{ours, theirs}))
}

// mergeCommit writes the merge commit. Its author is the default and its time the later of its
// parents', so that it is the same wherever it is made.
func (m *merger) mergeCommit(parents []git.OID) (git.OID, error) {
	tree, err := m.mergeAll(parents, 0)
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
	who := metadata.Signature(git.Signature{When: when})
	return m.w.Commit(git.Commit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: mergeMessage})
}

// mergeAll returns the tree that results from merging sorted commits one after the other.
func (m *merger) mergeAll(commits []git.OID, depth int) (git.OID, error) {
	key := fmt.Sprint(commits)
	if tree, done := m.mergedBases[key]; done {
		return tree, nil
	}
	tree, err := m.tree(commits[0])
	for i := 1; i < len(commits) && err == nil; i++ {
		var base, other git.OID
		if base, err = m.base(commits[i], commits[:i], depth); err != nil {
			break
		}
		if other, err = m.tree(commits[i]); err == nil {
			tree, err = m.join(base, tree, other)
		}
	}
	if err == nil && tree.IsZero() {
		tree, err = m.w.Tree(nil)
	}
	if err == nil {
		err = m.w.Sync() // a later merge may read the tree as a base
	}
	m.mergedBases[key] = tree
	return tree, err
}

// base returns the tree of the common base of a commit and the merge of others; zero for none.
// Like git, it first merges several best common ancestors.
func (m *merger) base(commit git.OID, others []git.OID, depth int) (git.OID, error) {
	bases, err := m.bases(commit, others...)
	if err != nil || len(bases) == 0 || depth >= maxBaseDepth {
		return git.OID{}, err
	}
	return m.mergeAll(sortOIDs(bases), depth+1)
}

// near is how many first parents are looked at before git is asked for a common ancestor.
const near = 16

// Descends reports whether a commit was just made on top of another: whether the other is among its next first parents.
// false may also mean that it is further away. It starts no program.
func Descends(rd *git.Reader, from, to git.OID) (bool, error) {
	for range near {
		if from == to {
			return true, nil
		}
		c, err := rd.Commit(from)
		if err != nil {
			return false, err
		}
		if len(c.Parents) == 0 {
			return false, nil
		}
		from = c.Parents[0]
	}
	return false, nil
}

// bases returns the best common ancestors of a commit and the merge of others.
func (m *merger) bases(commit git.OID, others ...git.OID) ([]git.OID, error) {
	args := []string{"merge-base", "--all", commit.String()}
	for _, o := range others {
		args = append(args, o.String())
	}
	if len(others) == 1 { // the same in either order
		slices.Sort(args[2:])
	}
	key := strings.Join(args, " ")
	if known, ok := m.knownBases[key]; ok {
		return known, nil
	}
	out, err := m.repo.Run(m.ctx, args...)
	var exit *git.ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m.knownBases[key], err = git.ParseOIDs(out)
	return m.knownBases[key], err
}

func (m *merger) tree(commit git.OID) (git.OID, error) {
	c, err := m.rd.Commit(commit)
	return c.Tree, err
}

func sortOIDs(oids []git.OID) []git.OID {
	slices.SortFunc(oids, func(a, b git.OID) int { return strings.Compare(a.String(), b.String()) })
	return oids
}
