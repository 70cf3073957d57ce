package metadata

import (
	"path/filepath"

	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
)

const (
	// copiedShards is the folder in <common>/entire with copies of shards, each named as the shard.
	copiedShards = "shards"

	// longShard is the size in bytes from which a shard is copied; git reads a shorter one as quickly. maxShard is
	// the size up to which a copy is read.
	longShard = 4 << 10
	maxShard  = 512 << 10
)

// ShardCopies are copies of the shards that hold some checkpoints. Git takes long to read a shard with many
// checkpoints, because it stores most versions of it as one of many differences from another.
type ShardCopies struct {
	dir     string
	rd      *git.Reader
	missing []git.TreeEntry // shards that were not copied
}

// UseShardCopies gives rd, which reads repo, the shards of the tree root that hold ids, as far as there are copies. A
// copy counts only if its content has the shard's object ID, so nobody needs to remove or renew one when a branch moves.
func UseShardCopies(repo *git.Repo, rd *git.Reader, root git.OID, ids []id.CheckpointID) (ShardCopies, error) {
	c := ShardCopies{dir: filepath.Join(repo.CommonDir, "entire", copiedShards), rd: rd}
	if len(ids) <= fewCheckpoints {
		return c, nil // git looks them up
	}
	wanted := map[string]bool{}
	for _, cp := range ids {
		wanted[cp.Shard()] = true
	}
	entries, err := rd.Tree(root)
	if err != nil {
		return c, err
	}
	for _, e := range entries {
		if e.Mode != git.ModeTree || !wanted[e.Name] {
			continue
		}
		if _, cached := rd.Cached(e.OID); cached {
			continue
		}
		if data, err := durable.ReadPlain(filepath.Join(c.dir, e.Name), maxShard); err == nil {
			rd.Offer(e.OID, "tree", data)
		}
		if _, cached := rd.Cached(e.OID); !cached {
			c.missing = append(c.missing, e)
		}
	}
	return c, nil
}

// Save copies the shards that were read since. A copy that cannot be written is only read again.
func (c ShardCopies) Save() {
	for _, e := range c.missing {
		o, cached := c.rd.Cached(e.OID)
		if !cached || len(o.Data) < longShard || len(o.Data) > maxShard {
			continue
		}
		if durable.WriteCache(filepath.Join(c.dir, e.Name), o.Data, 0o600) != nil {
			return
		}
	}
}
