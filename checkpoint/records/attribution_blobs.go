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
	for _, root := range roots {
		cps, err := r.idsBelow(ctx, root, "")
		if err != nil {
			return nil, err
		}
		cps = gone.Without(cps)
		var folders chunk.Batch
		err = metadata.Locate(r.Repo.Reader(ctx), root, cps, metadata.HashLen(r.Repo), &folders, func(i int, o git.Object) error {
			if seen[cps[i]] {
				return nil
			}
			seen[cps[i]] = true
			entries, err := git.ParseTree(o.Data, metadata.HashLen(r.Repo))
			for _, e := range entries {
				if e.Name == AttributionName && e.Mode != git.ModeTree {
					found[cps[i]] = e.OID
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
