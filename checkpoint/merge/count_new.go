package merge

import (
	"context"
	"fmt"

	"entire/id"
	"entire/internal/git"
)

// CountNew counts the checkpoints that the branch at tip has and the branch at before does not.
// A zero before has none. It reads only the shards that differ.
func CountNew(ctx context.Context, repo *git.Repo, before, tip git.OID) (n int, err error) {
	m := &merger{ctx: ctx, repo: repo, rd: repo.Reader(ctx)}
	var roots [2]git.OID
	for i, c := range []git.OID{before, tip} {
		if c.IsZero() {
			continue
		}
		if roots[i], err = m.tree(c); err != nil {
			return 0, fmt.Errorf("count checkpoints: %w", err)
		}
	}
	err = m.eachDifference(roots[0], roots[1], func(shard string, was, is git.TreeEntry) error {
		return m.eachDifference(folderOID(was), folderOID(is), func(rest string, was, is git.TreeEntry) error {
			if _, err := id.NewCheckpointID(shard + rest); err == nil && was.Mode == 0 && is.Mode == git.ModeTree {
				n++
			}
			return nil
		})
	})
	if err != nil {
		return 0, fmt.Errorf("count checkpoints: %w", err)
	}
	return n, nil
}

// eachDifference calls fn for each name whose entry differs between two folders.
func (m *merger) eachDifference(was, is git.OID, fn func(name string, was, is git.TreeEntry) error) error {
	found, err := m.rd.Trees(was, is)
	if err != nil {
		return err
	}
	for _, t := range alignByName(nil, found[0], found[1]) {
		if sameEntry(t.a, t.b) {
			continue
		}
		if err := fn(t.name(), t.a, t.b); err != nil {
			return err
		}
	}
	return nil
}
