package records

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// Sealed finds those of ids that are in an epoch: their rows, or the page to fetch first.
func (r *Reader) Sealed(ctx context.Context, ids []id.CheckpointID) (map[id.CheckpointID]epoch.Row, map[id.CheckpointID]git.OID, error) {
	set, err := epoch.LoadFor(ctx, r.Repo, ids)
	if err != nil || len(set) == 0 {
		return nil, nil, err
	}
	return set.Find(r.Repo.Reader(ctx), ids)
}

// findSealed reads those of the checkpoints left that are in epochs into found, as far as their content is here.
func (r *Reader) findSealed(ctx context.Context, ids []id.CheckpointID, left []int, found []*metadata.Folder, detail metadata.Detail) error {
	ask := make([]id.CheckpointID, len(left))
	for k, i := range left {
		ask[k] = ids[i]
	}
	rows, _, err := r.Sealed(ctx, ask)
	if err != nil || len(rows) == 0 {
		return err
	}
	folders := map[id.CheckpointID]*metadata.Folder{}
	var list []*metadata.Folder
	for _, cp := range ask {
		if row, ok := rows[cp]; ok && folders[cp] == nil {
			folders[cp] = metadata.TreeFolder(cp, row.Tree, detail)
			list = append(list, folders[cp])
		}
	}
	if err := r.fill(ctx, list); err != nil {
		return err
	}
	for _, i := range left {
		if f := folders[ids[i]]; f != nil && len(f.Entries) > 0 {
			found[i] = f
		}
	}
	return nil
}

// notHere returns the error for a checkpoint that no place has: that it is sealed and its content is not in this
// clone, or that it does not exist.
func (r *Reader) notHere(ctx context.Context, cp id.CheckpointID) error {
	rows, absent, err := r.Sealed(ctx, []id.CheckpointID{cp})
	if err != nil {
		return err
	}
	_, listed := rows[cp]
	if _, elsewhere := absent[cp]; listed || elsewhere {
		return &metadata.ElsewhereError{ID: cp}
	}
	return fmt.Errorf("checkpoint %s: %w", cp, metadata.ErrCheckpointNotFound)
}

// sealedHere adds to exists the checkpoints whose content an epoch has in this clone.
func (r *Reader) sealedHere(ctx context.Context, ids []id.CheckpointID, exists map[id.CheckpointID]bool) error {
	rows, _, err := r.Sealed(ctx, slices.DeleteFunc(slices.Clone(ids), func(cp id.CheckpointID) bool { return exists[cp] }))
	if err != nil {
		return err
	}
	var ask chunk.Batch
	for cp, row := range rows {
		ask.Add(row.Tree.String(), func(o git.Object) error {
			exists[cp] = o.Type == "tree"
			return nil
		})
	}
	return ask.Run(r.Repo.Reader(ctx))
}

// sealedIDs lists the checkpoints of all epochs whose ID begins with one of forms.
func (r *Reader) sealedIDs(ctx context.Context, forms []string) (ids []id.CheckpointID, err error) {
	set, err := epoch.Load(ctx, r.Repo)
	if err != nil {
		return nil, err
	}
	for _, form := range forms {
		some, err := set.IDs(r.Repo.Reader(ctx), form)
		if err != nil {
			return nil, err
		}
		ids = append(ids, some...)
	}
	return ids, nil
}

// sealedFolders returns the folders of all sealed checkpoints of months whose pages are here.
func (r *Reader) sealedFolders(ctx context.Context, set epoch.Set) ([]*metadata.Folder, error) {
	var folders []*metadata.Folder
	for _, m := range set {
		rows, err := m.Rows(r.Repo.Reader(ctx))
		if errors.Is(err, git.ErrMissing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			folders = append(folders, metadata.TreeFolder(row.ID, row.Tree, metadata.Whole))
		}
	}
	return folders, nil
}

// attributionsSealed reads the files of sealed checkpoints into found.
func (r *Reader) attributionsSealed(ctx context.Context, ids []id.CheckpointID, found map[id.CheckpointID][]byte) error {
	if len(ids) == 0 {
		return nil
	}
	rows, _, err := r.Sealed(ctx, ids)
	if err != nil {
		return err
	}
	var ask chunk.Batch
	for cp, row := range rows {
		ask.Add(row.Tree.String()+":"+AttributionName, func(o git.Object) error {
			if o.Type == "blob" {
				found[cp] = o.Data
			}
			return nil
		})
	}
	return ask.Run(r.Repo.Reader(ctx))
}

// sealedAuthor returns the author of a sealed checkpoint, as its page has it.
func (r *Reader) sealedAuthor(ctx context.Context, cp id.CheckpointID) (Author, error) {
	rows, _, err := r.Sealed(ctx, []id.CheckpointID{cp})
	if err != nil {
		return Author{}, err
	}
	name, email, _ := strings.Cut(rows[cp].Author, " <")
	return Author{Name: name, Email: strings.TrimSuffix(email, ">")}, nil
}
