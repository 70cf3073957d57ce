package records

import (
	"context"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// AttributionBlobs finds the blob of each checkpoint's [AttributionName] without reading it. It
// reads one tree for each checkpoint.
func (r *Reader) AttributionBlobs(ctx context.Context) (map[id.CheckpointID]git.OID, error) {
	roots, gone, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	found, seen := map[id.CheckpointID]git.OID{}, map[id.CheckpointID]bool{}
	inRefs, err := r.refFolders(ctx, nil, gone, metadata.Brief)
	if err != nil {
		return nil, err
	}
	var trees chunk.Batch
	for cp, f := range inRefs {
		seen[cp] = true
		if f.Err == nil {
			trees.Add(f.Tree.String(), func(o git.Object) error { return findBlob(r, o, found, cp) })
		}
	}
	if err := trees.Run(r.Repo.Reader(ctx)); err != nil {
		return nil, err
	}
	for _, root := range roots {
		cps, err := r.idsBelow(ctx, root, "")
		if err != nil {
			return nil, err
		}
		cps = gone.Without(cps)
		var folders chunk.Batch
		err = metadata.Locate(r.Repo.Reader(ctx), root, cps, r.Repo.HashLen(), &folders, func(i int, o git.Object) error {
			if seen[cps[i]] {
				return nil
			}
			seen[cps[i]] = true
			return findBlob(r, o, found, cps[i])
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// findBlob notes the blob of a checkpoint's file, if the checkpoint's tree o has one.
func findBlob(r *Reader, o git.Object, found map[id.CheckpointID]git.OID, cp id.CheckpointID) error {
	if o.Type != "tree" {
		return nil
	}
	entries, err := git.ParseTree(o.Data, r.Repo.HashLen())
	for _, e := range entries {
		if e.Name == AttributionName && e.Mode != git.ModeTree {
			found[cp] = e.OID
		}
	}
	return err
}
