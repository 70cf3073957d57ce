package sealing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/checkpoint/epoch"
	"entire/checkpoint/merge"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// openFolder is the folder of the branch that has a file for each month that was unsealed: the manifests that count no
// longer, one on each line. No shard has this name.
const openFolder = "unsealed"

// ErrNotSealed is returned by Unseal for a month without an epoch.
var ErrNotSealed = errors.New("it is not sealed")

// Unseal moves the checkpoints of months back to the local branch, as they were, and removes the months' refs in the same
// transaction. It returns how many came back. The error is [ErrNeedBodies] if a month's content is not in this clone.
func Unseal(ctx context.Context, repo *git.Repo, months []epoch.Month, now time.Time) (back int, err error) {
	err = metadata.UpdateTogether(ctx, repo, func(tip git.OID) (git.OID, []git.RefUpdate, error) {
		back = 0
		var edits []git.Edit
		var moves []git.RefUpdate
		root := git.OID{}
		if !tip.IsZero() {
			c, err := repo.Reader(ctx).Commit(tip)
			if err != nil {
				return tip, nil, err
			}
			root = c.Tree
		}
		for _, m := range months {
			more, drop, err := unsealOne(ctx, repo, root, m)
			if err != nil {
				return tip, nil, fmt.Errorf("unseal %s: %w", m, err)
			}
			edits, moves = append(edits, more...), append(moves, drop...)
			back += len(more) - 2 // the marks of the month
		}
		if len(edits) == 0 {
			return tip, nil, nil
		}
		next, err := withEdits(ctx, repo, tip, root, edits, fmt.Sprintf("Unseal %d month(s)\n", len(months)), now)
		return next, moves, err
	})
	if err == nil {
		err = epoch.WriteIndex(ctx, repo)
	}
	return back, err
}

// unsealOne returns what brings a month back below a root, and the moves that remove its refs.
func unsealOne(ctx context.Context, repo *git.Repo, root git.OID, month epoch.Month) ([]git.Edit, []git.RefUpdate, error) {
	at, err := stateOf(ctx, repo, month)
	switch {
	case err != nil:
		return nil, nil, err
	case at.manifest.IsZero():
		return nil, nil, ErrNotSealed
	case at.bodies.IsZero():
		return nil, nil, ErrNeedBodies
	}
	rows, err := at.rows(ctx, repo)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]id.CheckpointID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	here, err := metadata.LookUp(repo.Reader(ctx), root, ids)
	if err != nil {
		return nil, nil, err
	}
	var edits []git.Edit
	for i, row := range rows {
		tree := row.Tree
		if !here[i].IsZero() {
			if tree, err = merge.Folders(ctx, repo, row.ID, row.Tree, here[i]); err != nil {
				return nil, nil, err
			}
		}
		edits = append(edits, git.Edit{Path: row.ID.Path(), Mode: git.ModeTree, OID: tree})
	}
	marks, err := noLonger(ctx, repo, root, month)
	if err != nil {
		return nil, nil, err
	}
	var text strings.Builder
	for _, oid := range append(marks, at.manifest) {
		text.WriteString(oid.String() + "\n")
	}
	blob, err := repo.Writer().Blob([]byte(text.String()))
	if err != nil {
		return nil, nil, err
	}
	edits = append(edits, git.Edit{Path: markFolder + "/" + string(month)}, git.Edit{Path: openFolder + "/" + string(month), Mode: git.ModeFile, OID: blob})
	return edits, at.removed(), nil
}

// removed returns the moves that delete the month's refs.
func (s state) removed() (moves []git.RefUpdate) {
	moves = append(moves, git.RefUpdate{Name: s.month.Ref(), Old: s.manifest})
	if !s.bodies.IsZero() {
		moves = append(moves, git.RefUpdate{Name: s.month.BodyRef(), Old: s.bodies})
	}
	return moves
}

func withEdits(ctx context.Context, repo *git.Repo, tip, root git.OID, edits []git.Edit, message string, now time.Time) (git.OID, error) {
	tree, err := repo.EditTree(ctx, root, edits)
	if err != nil {
		return git.OID{}, err
	}
	if tip.IsZero() {
		if tip, err = metadata.InitialCommit(repo); err != nil {
			return git.OID{}, err
		}
	}
	who := metadata.Signature(git.Signature{When: now})
	next, err := repo.Writer().Commit(git.Commit{Tree: tree, Parents: []git.OID{tip}, Author: who, Committer: who, Message: message})
	return next, errors.Join(err, repo.Writer().Sync())
}

// noLonger returns the manifests of a month that a root says count no longer, in the order in which they were unsealed.
func noLonger(ctx context.Context, repo *git.Repo, root git.OID, month epoch.Month) (list []git.OID, err error) {
	rd := repo.Reader(ctx)
	e, found, err := rd.Path(root, openFolder+"/"+string(month))
	if err != nil || !found || e.Mode != git.ModeFile {
		return nil, err
	}
	text, err := rd.RawBlob(e.OID)
	for line := range strings.Lines(string(text)) {
		if oid, err := git.ParseOID(strings.TrimSpace(line)); err == nil {
			list = append(list, oid)
		}
	}
	return list, err
}

// counts returns those of a set's manifests that a root does not say count no longer.
func counts(ctx context.Context, repo *git.Repo, set epoch.Set, root git.OID) (epoch.Set, error) {
	var left epoch.Set
	for _, m := range set {
		gone, err := noLonger(ctx, repo, root, m.Month)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(gone, m.Commit) {
			left = append(left, m)
		}
	}
	return left, nil
}

// Unsealed returns the months that the local branch says were unsealed, each with the manifests that count no longer.
func Unsealed(ctx context.Context, repo *git.Repo) (map[epoch.Month][]git.OID, error) {
	root, err := localRoot(ctx, repo)
	if err != nil || root.IsZero() {
		return nil, err
	}
	e, found, err := repo.Reader(ctx).Path(root, openFolder)
	if err != nil || !found || e.Mode != git.ModeTree {
		return nil, err
	}
	entries, err := repo.Reader(ctx).Tree(e.OID)
	if err != nil {
		return nil, err
	}
	months := map[epoch.Month][]git.OID{}
	for _, e := range entries {
		if m, ok := epoch.ParseMonth(e.Name); ok {
			if months[m], err = noLonger(ctx, repo, root, m); err != nil {
				return nil, err
			}
		}
	}
	return months, nil
}

// DropUnsealed removes the refs of months that were unsealed, if the local branch has everything that they have.
func DropUnsealed(ctx context.Context, repo *git.Repo) (dropped []epoch.Month, err error) {
	months, err := Unsealed(ctx, repo)
	if err != nil || len(months) == 0 {
		return nil, err
	}
	root, err := localRoot(ctx, repo)
	if err != nil {
		return nil, err
	}
	for month, gone := range months {
		at, err := stateOf(ctx, repo, month)
		if err != nil {
			return dropped, err
		}
		if at.manifest.IsZero() || !slices.Contains(gone, at.manifest) {
			continue
		}
		all, err := hasAll(ctx, repo, root, at)
		if err != nil {
			return dropped, err
		}
		if !all {
			continue
		}
		if err := repo.UpdateRefs(ctx, at.removed()); err != nil && !errors.Is(err, git.ErrRefMoved) {
			return dropped, err
		}
		dropped = append(dropped, month)
	}
	return dropped, nil
}

// hasAll reports whether a root has every checkpoint of a month that is not forgotten.
func hasAll(ctx context.Context, repo *git.Repo, root git.OID, at state) (bool, error) {
	m, err := epoch.Open(repo.Reader(ctx), at.month, at.manifest)
	if err != nil {
		return false, err
	}
	ids, err := epoch.Set{m}.IDs(repo.Reader(ctx), "")
	if err != nil {
		return false, err
	}
	gone, err := forgotten(ctx, repo)
	if err != nil {
		return false, err
	}
	here, err := metadata.LookUp(repo.Reader(ctx), root, ids)
	if err != nil {
		return false, err
	}
	for i, cp := range ids {
		if here[i].IsZero() && !gone[cp] {
			return false, nil
		}
	}
	return true, nil
}

// localRoot returns the tree of the local branch; zero without one.
func localRoot(ctx context.Context, repo *git.Repo) (git.OID, error) {
	_, tip, err := metadata.Tip(ctx, repo)
	if err != nil || tip.IsZero() {
		return git.OID{}, err
	}
	c, err := repo.Reader(ctx).Commit(tip)
	return c.Tree, err
}
