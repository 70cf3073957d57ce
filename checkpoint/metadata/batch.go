package metadata

import (
	"entire/checkpoint/chunk"
	"entire/id"
	"entire/internal/git"
)

// fewCheckpoints is the most checkpoints whose paths git looks up. For more of them, locate
// reads each shard once and searches it.
const fewCheckpoints = 8

// Locate calls found with the tree of each checkpoint that exists below root.
func Locate(rd *git.Reader, root git.OID, ids []id.CheckpointID, hashLen int, ask *chunk.Batch, found func(i int, tree git.Object) error) error {
	wanted := func(i int) func(git.Object) error {
		return func(o git.Object) error {
			if o.Type != "tree" {
				return nil
			}
			return found(i, o)
		}
	}
	if len(ids) <= fewCheckpoints {
		for i, cp := range ids {
			ask.Add(root.String()+":"+cp.Path(), wanted(i))
		}
		return ask.Run(rd)
	}
	at, err := LookUp(rd, root, ids)
	if err != nil {
		return err
	}
	for i := range ids {
		if !at[i].IsZero() {
			ask.Add(at[i].String(), wanted(i))
		}
	}
	return ask.Run(rd)
}

// LookUp finds the trees of many checkpoints, zero for one that does not exist, by reading each
// of their shards once.
func LookUp(rd *git.Reader, root git.OID, ids []id.CheckpointID) ([]git.OID, error) {
	at := make([]git.OID, len(ids))
	byShard := map[string][]int{}
	for i, cp := range ids {
		byShard[cp.Shard()] = append(byShard[cp.Shard()], i)
	}
	entries, err := rd.Tree(root)
	if err != nil {
		return nil, err
	}
	var shards []git.OID
	var members [][]int
	for _, e := range entries {
		if want := byShard[e.Name]; want != nil && e.Mode == git.ModeTree {
			shards, members = append(shards, e.OID), append(members, want)
		}
	}
	trees, err := rd.Trees(shards...)
	if err != nil {
		return nil, err
	}
	for k, tree := range trees {
		byRest := make(map[string]git.OID, len(tree))
		for _, e := range tree {
			if e.Mode == git.ModeTree {
				byRest[e.Name] = e.OID
			}
		}
		for _, i := range members[k] {
			at[i] = byRest[ids[i].Rest()]
		}
	}
	return at, nil
}
