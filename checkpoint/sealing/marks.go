package sealing

import (
	"context"
	"slices"

	"entire/checkpoint/epoch"
	"entire/checkpoint/shadow"
	"entire/internal/git"
)

// markFolder is the folder of the branch that has an empty file for each month whose checkpoints have left the branch.
// With it no such branch is the beginning of one that has them, and a clone knows that there are epochs to fetch. No
// shard has this name.
const markFolder = "sealed"

// markers returns the folder with the months of a set and of a root.
func (h *history) markers(set epoch.Set, root git.OID) (git.OID, error) {
	empty, err := h.Writer.Blob(nil)
	if err != nil {
		return git.OID{}, err
	}
	months, err := marksOf(h.Reader, root)
	if err != nil {
		return git.OID{}, err
	}
	for _, m := range set {
		months = append(months, m.Month)
	}
	slices.Sort(months)
	var entries []git.TreeEntry
	for _, m := range slices.Compact(months) {
		entries = append(entries, git.TreeEntry{Mode: git.ModeFile, Name: string(m), OID: empty})
	}
	return h.Writer.Tree(entries)
}

func marksOf(rd *git.Reader, root git.OID) (months []epoch.Month, err error) {
	e, found, err := rd.Path(root, markFolder)
	if err != nil || !found || e.Mode != git.ModeTree {
		return nil, err
	}
	entries, err := rd.Tree(e.OID)
	for _, e := range entries {
		if m, ok := epoch.ParseMonth(e.Name); ok {
			months = append(months, m)
		}
	}
	return months, err
}

// Unknown returns the months that the local branch or origin's says are sealed, and that this clone has no manifest of.
func Unknown(ctx context.Context, repo *git.Repo) (months []epoch.Month, err error) {
	set, err := epoch.Load(ctx, repo)
	if err != nil {
		return nil, err
	}
	for _, ref := range []string{shadow.MetadataRef, shadow.RemoteMetadataRef} {
		c, ok, err := repo.Reader(ctx).CommitOf(ref)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		marked, err := marksOf(repo.Reader(ctx), c.Tree)
		if err != nil {
			return nil, err
		}
		for _, m := range marked {
			if set.Of(m) == nil && !slices.Contains(months, m) {
				months = append(months, m)
			}
		}
	}
	return months, nil
}
