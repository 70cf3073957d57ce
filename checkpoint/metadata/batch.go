package metadata

import (
	"fmt"

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
	var shards []string
	var members [][]int
	for _, e := range entries {
		if want := byShard[e.Name]; want != nil && e.Mode == git.ModeTree {
			shards, members = append(shards, e.OID.String()), append(members, want)
		}
	}
	trees, err := rd.Objects(shards...)
	if err != nil {
		return nil, err
	}
	for k, tree := range trees {
		if tree.Type != "tree" {
			return nil, fmt.Errorf("read tree %s: %w", shards[k], git.ErrMissing)
		}
		wanted := make(map[string][]int, len(members[k])) // far fewer than the shard has
		for _, i := range members[k] {
			wanted[ids[i].Rest()] = append(wanted[ids[i].Rest()], i)
		}
		err := git.ScanTree(tree.Data, len(tree.OID.Bytes()), func(mode uint32, from, to int, oid []byte) {
			if mode == git.ModeTree {
				for _, i := range wanted[string(tree.Data[from:to])] {
					at[i] = git.OIDFromBytes(oid)
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return at, nil
}
