package checkpoint

import (
	"fmt"

	"entire/id"
	"entire/internal/git"
)

// fewCheckpoints is the most checkpoints whose paths git looks up. For more of them, locate
// reads each shard once and searches it.
const fewCheckpoints = 8

// locate calls found with the tree of each checkpoint that exists below root.
func locate(rd *git.Reader, root git.OID, ids []id.CheckpointID, hashLen int, ask *batch, found func(i int, tree git.Object) error) error {
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
			ask.add(root.String()+":"+cp.Path(), wanted(i))
		}
		return ask.run(rd)
	}
	at, err := lookUp(rd, root, ids)
	if err != nil {
		return err
	}
	for i := range ids {
		if !at[i].IsZero() {
			ask.add(at[i].String(), wanted(i))
		}
	}
	return ask.run(rd)
}

// lookUp finds the trees of many checkpoints, zero for one that does not exist, by reading each
// of their shards once.
func lookUp(rd *git.Reader, root git.OID, ids []id.CheckpointID) ([]git.OID, error) {
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

// batch is a set of requests for objects that are sent together, each with a function for the
// answer.
type batch struct {
	specs []string
	then  []func(git.Object) error
}

// batchSize bounds how many objects one round trip holds in memory.
const batchSize = 2048

func (b *batch) add(spec string, then func(git.Object) error) {
	b.specs = append(b.specs, spec)
	b.then = append(b.then, then)
}

// run sends all requests added so far and empties the batch.
func (b *batch) run(rd *git.Reader) error {
	for from := 0; from < len(b.specs); from += batchSize {
		to := min(from+batchSize, len(b.specs))
		objects, err := rd.Objects(b.specs[from:to]...)
		if err != nil {
			return err
		}
		for i, o := range objects {
			if err := b.then[from+i](o); err != nil {
				return fmt.Errorf("read %s: %w", b.specs[from+i], err)
			}
		}
	}
	*b = batch{}
	return nil
}
