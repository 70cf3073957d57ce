package records

import (
	"context"
	"fmt"

	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// find loads each checkpoint from its own ref or the first branch that has it; nil if none has.
func (r *Reader) find(ctx context.Context, ids []id.CheckpointID) ([]*metadata.Folder, error) {
	return r.findWith(ctx, ids, metadata.Whole)
}

// findWith returns the folders of ids in their order, nil for one that is nowhere: refs of their own come
// first, then the branches, then epochs. Forgotten ones are nil.
func (r *Reader) findWith(ctx context.Context, ids []id.CheckpointID, detail metadata.Detail) ([]*metadata.Folder, error) {
	roots, gone, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]*metadata.Folder, len(ids))
	var left []int
	for i, cp := range ids {
		if !cp.IsZero() && !gone[cp] {
			left = append(left, i)
		}
	}
	if left, err = r.findInRefs(ctx, ids, left, found, detail); err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	for n, root := range roots {
		ask := make([]id.CheckpointID, len(left))
		for k, i := range left {
			ask[k] = ids[i]
		}
		some, err := r.foldersIn(ctx, root, ask, detail, n == 0)
		if err != nil {
			return nil, fmt.Errorf("read checkpoints: %w", err)
		}
		var missing []int
		for k, f := range some {
			if f == nil {
				missing = append(missing, left[k])
			}
			found[left[k]] = f
		}
		left = missing
	}
	if len(left) == 0 {
		return found, nil
	}
	if err := r.findSealed(ctx, ids, left, found, detail); err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	return found, nil
}

// foldersIn loads checkpoints from a tree of a branch. Shards are copied of one branch only, since the copies of
// another would replace them each time.
func (r *Reader) foldersIn(ctx context.Context, root git.OID, ids []id.CheckpointID, detail metadata.Detail, copied bool) ([]*metadata.Folder, error) {
	rd := r.Repo.Reader(ctx)
	var copies metadata.ShardCopies
	if copied {
		var err error
		if copies, err = metadata.UseShardCopies(r.Repo, rd, root, ids); err != nil {
			return nil, err
		}
	}
	folders, err := metadata.LoadFolders(rd, root, ids, r.Repo.HashLen(), detail)
	if err == nil {
		copies.Save()
	}
	return folders, err
}
