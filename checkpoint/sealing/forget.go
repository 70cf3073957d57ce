package sealing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/internal/git"
)

// DropForgotten makes the epochs again that have checkpoints with a tombstone, without these. absent are the months
// that have some and whose content is not in this clone: they are fetched first.
func DropForgotten(ctx context.Context, repo *git.Repo) (changed, absent []epoch.Month, err error) {
	gone, err := forgotten(ctx, repo)
	if err != nil || len(gone) == 0 {
		return nil, nil, err
	}
	set, err := epoch.Load(ctx, repo)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range set {
		holds := false
		for _, cp := range gone.Sorted() {
			_, listed, err := epoch.Set{m}.MonthOf(repo.Reader(ctx), cp)
			if err != nil {
				return changed, absent, err
			}
			holds = holds || listed
		}
		if !holds {
			continue
		}
		here, err := bodiesHere(ctx, repo, m)
		if err == nil && here {
			err = dropFrom(ctx, repo, m.Month, gone)
			changed = append(changed, m.Month)
		} else if err == nil {
			absent = append(absent, m.Month)
		}
		if err != nil {
			return changed, absent, fmt.Errorf("forget checkpoints of %s: %w", m.Month, err)
		}
	}
	return changed, absent, nil
}

func dropFrom(ctx context.Context, repo *git.Repo, m epoch.Month, gone metadata.Forgotten) error {
	for try := 0; ; try++ {
		at, err := stateOf(ctx, repo, m)
		if err != nil {
			return err
		}
		rows, err := at.rows(ctx, repo)
		if err != nil {
			return err
		}
		err = at.write(ctx, repo, slices.DeleteFunc(rows, func(r epoch.Row) bool { return gone[r.ID] }))
		if !errors.Is(err, git.ErrRefMoved) || try >= metadata.WriteTries {
			return err
		}
	}
}
