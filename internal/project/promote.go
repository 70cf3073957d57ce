package project

import (
	"context"
	"fmt"
	"slices"
	"time"

	"entire/internal/durable"
	"entire/internal/git"
)

// Promote replaces a key that is not lasting by the one of the first commit, if that is known now.
// limit bounds the search (0: only ctx does). The old key becomes a former key, and [Settle] moves
// what is stored under it.
func Promote(ctx context.Context, repo *git.Repo, limit time.Duration) (Identity, error) {
	id := InRepo(ctx, repo)
	if id.Lasting() {
		return id, nil
	}
	if _, born := repo.Head(ctx); !born && limit > 0 {
		return id, nil // most likely; asking git would take time
	}
	root := rootKey(ctx, repo, limit)
	if root == "" {
		return id, nil
	}
	path := recordOf(repo.CommonDir)
	lock, err := durable.Acquire(ctx, lockOf(path))
	if err != nil {
		return id, fmt.Errorf("promote project %s: %w", id.Key, err)
	}
	defer lock.Release()
	keys := readKeys(path)
	if len(keys) == 0 || keys[0] != root {
		keys = slices.Insert(slices.DeleteFunc(keys, func(k string) bool { return k == root }), 0, root)
		if !slices.Contains(keys, id.Key) {
			keys = slices.Insert(keys, 1, id.Key)
		}
		if err := writeKeys(path, keys); err != nil {
			return id, fmt.Errorf("promote project %s: %w", id.Key, err)
		}
	}
	id.Key, id.Former = keys[0], keys[1:]
	return id, nil
}
