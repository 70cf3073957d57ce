package audit

import (
	"context"
	"errors"
	"fmt"

	"entire/checkpoint/epoch"
	"entire/id"
	"entire/internal/git"
)

// withSealed adds the checkpoints of the epochs whose content is in this clone. What the branch has counts.
func (v *verifier) withSealed(ctx context.Context, repo *git.Repo, folders []folder) ([]folder, error) {
	set, err := epoch.Load(ctx, repo)
	if err != nil || len(set) == 0 {
		return folders, err
	}
	have := make(map[id.CheckpointID]bool, len(folders))
	for _, f := range folders {
		have[f.id] = true
	}
	for _, m := range set {
		rows, err := m.Rows(repo.Reader(ctx))
		if errors.Is(err, git.ErrMissing) {
			v.result.Absent = append(v.result.Absent, string(m.Month))
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the epoch %s: %w", m.Month, err)
		}
		for _, row := range rows {
			if !have[row.ID] && !v.gone[row.ID] {
				have[row.ID] = true
				folders = append(folders, folder{id: row.ID, tree: row.Tree})
			}
		}
	}
	return folders, nil
}
