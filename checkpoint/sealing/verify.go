package sealing

import (
	"context"
	"errors"
	"fmt"

	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/internal/git"
)

// Verify reads a month's manifest, and its pages and checkpoints if they are in this clone, and returns what does not
// fit, one text for each thing. It does not read what the checkpoints hold: a list of checkpoints does.
func Verify(ctx context.Context, repo *git.Repo, m *epoch.Manifest) (wrong []string, err error) {
	rd := repo.Reader(ctx)
	meta, err := m.Meta(rd)
	if err != nil {
		return []string{err.Error()}, ctx.Err()
	}
	ids, err := epoch.Set{m}.IDs(rd, "")
	if err != nil {
		return []string{err.Error()}, ctx.Err()
	}
	if len(ids) != meta.Count {
		wrong = append(wrong, fmt.Sprintf("its manifest says %d checkpoints and lists %d", meta.Count, len(ids)))
	}
	here, err := bodiesHere(ctx, repo, m)
	if err != nil || !here {
		return wrong, err
	}
	rows, err := m.Rows(rd)
	switch {
	case errors.Is(err, git.ErrMissing):
		return append(wrong, "a page is missing"), nil
	case err != nil:
		return append(wrong, err.Error()), ctx.Err()
	}
	again, bodies, err := epoch.Build(repo, m.Month, rows, meta.Again)
	if err != nil {
		return nil, err
	}
	if again != m.Commit || bodies != meta.Bodies {
		wrong = append(wrong, "its manifest is not the one that its pages make")
	}
	c, err := rd.Commit(meta.Bodies)
	if err != nil {
		return nil, err
	}
	at, err := metadata.LookUp(rd, c.Tree, ids)
	if err != nil {
		return nil, err
	}
	trees := make(map[string]git.OID, len(rows))
	for _, row := range rows {
		trees[row.ID.String()] = row.Tree
	}
	for i, cp := range ids {
		if at[i] != trees[cp.String()] {
			wrong = append(wrong, fmt.Sprintf("checkpoint %s is not the one that its page names", cp))
		}
	}
	return wrong, nil
}
