package checkpoint

import (
	"context"

	"entire/id"
	"entire/internal/git"
)

// AttributionBlobs finds the blob of each checkpoint's [AttributionName] without reading it. It
// reads one tree for each checkpoint.
func (r *Records) AttributionBlobs(ctx context.Context) (map[id.CheckpointID]git.OID, error) {
	roots, gone, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	found, seen := map[id.CheckpointID]git.OID{}, map[id.CheckpointID]bool{}
	for _, root := range roots {
		cps, err := r.below(ctx, root, "")
		if err != nil {
			return nil, err
		}
		cps = gone.left(cps)
		var folders batch
		err = locate(r.repo.Reader(ctx), root, cps, hashLen(r.repo), &folders, func(i int, o git.Object) error {
			if seen[cps[i]] {
				return nil
			}
			seen[cps[i]] = true
			entries, err := git.ParseTree(o.Data, hashLen(r.repo))
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
