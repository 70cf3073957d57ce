package merge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// Refs merges fetched histories of checkpoints into the refs that these have here, and returns the checkpoints whose
// refs moved. A checkpoint without a ref here is left out. The refs move in one transaction; if another process moves
// one of them meanwhile, Refs begins again.
func Refs(ctx context.Context, repo *git.Repo, theirs map[id.CheckpointID]git.OID) (moved []id.CheckpointID, err error) {
	ids := slices.SortedFunc(maps.Keys(theirs), id.CheckpointID.Compare)
	for try := 0; ; try++ {
		var updates []git.RefUpdate
		moved = nil
		for _, cp := range ids {
			name := metadata.CheckpointRef(cp)
			ours, found, err := repo.Ref(ctx, name)
			if err != nil {
				return nil, err
			}
			if !found {
				continue
			}
			tip, err := buildRef(ctx, repo, cp, ours, theirs[cp])
			if err != nil {
				return nil, err
			}
			if tip != ours {
				updates, moved = append(updates, git.RefUpdate{Name: name, Old: ours, New: tip}), append(moved, cp)
			}
		}
		if len(updates) == 0 {
			return nil, nil
		}
		err := repo.UpdateRefs(ctx, updates)
		if err == nil {
			return moved, nil
		}
		if !errors.Is(err, git.ErrRefMoved) || try >= metadata.WriteTries {
			return nil, fmt.Errorf("merge checkpoints: %w", err)
		}
	}
}

// buildRef is buildMerge for two histories of a ref that has one checkpoint: the tree of each commit is the
// checkpoint. It does not ask whether the checkpoint is forgotten.
func buildRef(ctx context.Context, repo *git.Repo, cp id.CheckpointID, ours, theirs git.OID) (git.OID, error) {
	m := newMerger(ctx, repo)
	m.inRef, m.join = true, func(base, a, b git.OID) (git.OID, error) { return m.folders(cp, base, a, b) }
	oid, err := m.histories(ours, theirs)
	if err != nil {
		return git.OID{}, fmt.Errorf("merge checkpoint %s: %w", cp, err)
	}
	return oid, m.w.Sync()
}
