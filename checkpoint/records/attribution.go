package records

import (
	"context"
	"slices"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// AttributionName is the file beside a checkpoint's sessions that says who wrote the lines of
// its commit; see docs/format.md. This package only stores its bytes.
const AttributionName = "attribution.json"

// Attributions reads that file of checkpoints, as it is stored. It leaves out checkpoints that
// do not exist or have no such file.
func (r *Reader) Attributions(ctx context.Context, ids []id.CheckpointID) (map[id.CheckpointID][]byte, error) {
	found := make(map[id.CheckpointID][]byte, len(ids))
	roots, gone, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	left, err := r.attributionsInRefs(ctx, gone.Without(ids), found)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		if left, err = r.attributionsBelow(ctx, root, left, found); err != nil {
			return nil, err
		}
	}
	return found, r.attributionsSealed(ctx, left, found)
}

// attributionsBelow reads the files of checkpoints below a root of the metadata branch into found, and returns the
// checkpoints that the root does not have.
func (r *Reader) attributionsBelow(ctx context.Context, root git.OID, ids []id.CheckpointID, found map[id.CheckpointID][]byte) (missing []id.CheckpointID, err error) {
	var folders, ask chunk.Batch
	exists := map[id.CheckpointID]bool{}
	err = metadata.Locate(r.Repo.Reader(ctx), root, ids, r.Repo.HashLen(), &folders, func(i int, o git.Object) error {
		exists[ids[i]] = true
		entries, err := git.ParseTree(o.Data, r.Repo.HashLen())
		for _, e := range entries {
			if e.Name == AttributionName && e.Mode != git.ModeTree {
				askForBlob(&ask, e.OID, ids[i], found)
			}
		}
		return err
	})
	if err == nil {
		err = ask.Run(r.Repo.Reader(ctx))
	}
	for _, cp := range ids {
		if !exists[cp] {
			missing = append(missing, cp)
		}
	}
	return missing, err
}

// askForBlob puts the content of a blob into found, when the batch is run; not if the repository does not have it.
func askForBlob(ask *chunk.Batch, oid git.OID, cp id.CheckpointID, found map[id.CheckpointID][]byte) {
	ask.Add(oid.String(), func(o git.Object) error {
		if o.Type == "blob" {
			found[cp] = o.Data
		}
		return nil
	})
}

// attributionsInRefs reads the files of checkpoints in refs of their own into found, and returns
// the checkpoints that have no such ref.
func (r *Reader) attributionsInRefs(ctx context.Context, ids []id.CheckpointID, found map[id.CheckpointID][]byte) ([]id.CheckpointID, error) {
	tips, err := r.Tips(ctx, ids)
	if err != nil || len(tips) == 0 {
		return ids, err
	}
	var ask chunk.Batch
	for cp, tip := range tips {
		ask.Add(tip.String()+":"+AttributionName, func(o git.Object) error {
			if o.Type == "blob" {
				found[cp] = o.Data
			}
			return nil
		})
	}
	left := slices.DeleteFunc(slices.Clone(ids), func(cp id.CheckpointID) bool { _, there := tips[cp]; return there })
	return left, ask.Run(r.Repo.Reader(ctx))
}
