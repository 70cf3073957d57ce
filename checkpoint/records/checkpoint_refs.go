package records

import (
	"context"
	"fmt"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// fewRefs is the most checkpoints whose refs are read one by one. For more of them, all refs are
// listed.
const fewRefs = 8

// Tips returns the commits of those of ids that have a ref of their own, or of all such
// checkpoints if ids is nil. It reads the refs' names and starts at most one process.
func (r *Reader) Tips(ctx context.Context, ids []id.CheckpointID) (map[id.CheckpointID]git.OID, error) {
	tips := map[id.CheckpointID]git.OID{}
	if ids != nil && len(ids) <= fewRefs {
		return tips, r.fewTips(ctx, ids, tips)
	}
	refs, err := r.Repo.Refs(ctx, metadata.CheckpointRefs)
	if err != nil {
		return nil, fmt.Errorf("find checkpoints: %w", err)
	}
	all := make(map[id.CheckpointID]git.OID, len(refs))
	for _, ref := range refs {
		if cp, ok := metadata.ParseCheckpointRef(ref.Name); ok {
			all[cp] = ref.OID
		}
	}
	if ids == nil {
		return all, nil
	}
	for _, cp := range ids {
		if tip, found := all[cp]; found {
			tips[cp] = tip
		}
	}
	return tips, nil
}

func (r *Reader) fewTips(ctx context.Context, ids []id.CheckpointID, tips map[id.CheckpointID]git.OID) error {
	var ask chunk.Batch
	for _, cp := range ids {
		if cp.IsZero() {
			continue
		}
		ask.Add(metadata.CheckpointRef(cp), func(o git.Object) error {
			if o.Type != "" {
				tips[cp] = o.OID
			}
			return nil
		})
	}
	if err := ask.Run(r.Repo.Reader(ctx)); err != nil {
		return fmt.Errorf("find checkpoints: %w", err)
	}
	return nil
}

// refFolders returns the folders of those of ids that have a ref of their own, of all such
// checkpoints if ids is nil; nothing in them is read yet. A folder whose commit cannot be read
// has an error.
func (r *Reader) refFolders(ctx context.Context, ids []id.CheckpointID, gone metadata.Forgotten, detail metadata.Detail) (map[id.CheckpointID]*metadata.Folder, error) {
	tips, err := r.Tips(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[id.CheckpointID]*metadata.Folder, len(tips))
	var ask chunk.Batch
	for cp, tip := range tips {
		if gone[cp] {
			continue
		}
		found[cp] = metadata.RefFolder(cp, git.OID{}, detail)
		ask.Add(tip.String(), func(o git.Object) error {
			if o.Type != "commit" {
				found[cp].Err = fmt.Errorf("read %s: %w", metadata.CheckpointRef(cp), git.ErrMissing)
				return nil
			}
			c, err := git.ParseCommit(o.OID, o.Data)
			found[cp].Tree = c.Tree
			return err
		})
	}
	if err := ask.Run(r.Repo.Reader(ctx)); err != nil {
		return nil, fmt.Errorf("find checkpoints: %w", err)
	}
	return found, nil
}

// findInRefs reads those of the checkpoints left that have a ref of their own into found, and
// returns the others.
func (r *Reader) findInRefs(ctx context.Context, ids []id.CheckpointID, left []int, found []*metadata.Folder, detail metadata.Detail) ([]int, error) {
	ask := make([]id.CheckpointID, len(left))
	for k, i := range left {
		ask[k] = ids[i]
	}
	folders, err := r.refFolders(ctx, ask, nil, detail)
	if err != nil || len(folders) == 0 {
		return left, err
	}
	var here []*metadata.Folder
	var missing []int
	for _, i := range left {
		f := folders[ids[i]]
		if f == nil {
			missing = append(missing, i)
			continue
		}
		if found[i] = f; len(here) == 0 || here[len(here)-1] != f {
			here = append(here, f)
		}
	}
	return missing, r.fill(ctx, here)
}
