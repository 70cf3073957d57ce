package lineage

import (
	"context"
	"strings"

	"entire/internal/git"
)

// reflogMax is the largest reflog of HEAD that is read, in bytes.
const reflogMax = 16 << 20

// recordsAll reports whether the checkpoints that a commit names record all lines that agents wrote in it. Each must
// have a complete record, not of a later commit. If a record is of an earlier commit, this clone must have made the
// commit or know later checkpoints: otherwise somebody may have recorded more.
func (r *Resolver) recordsAll(ctx context.Context, c *commit) (bool, error) {
	earlier := false
	for _, cp := range c.checkpoints {
		rec := r.records.loaded[cp]
		if rec == nil || rec.Incomplete || rec.Time > c.Committer.When.Unix() {
			return false, nil
		}
		earlier = earlier || rec.Time < c.Committer.When.Unix()
	}
	if !earlier || r.madeHere(ctx)[c.OID] {
		return true, nil
	}
	newest, err := r.records.store.Newest(ctx)
	return err == nil && !newest.Before(c.Committer.When), err
}

// madeHere returns the commits that HEAD's reflog says were made in this worktree.
func (r *Resolver) madeHere(ctx context.Context) map[git.OID]bool {
	if r.made != nil {
		return r.made
	}
	r.made = map[git.OID]bool{}
	for _, e := range r.reflog(ctx) {
		for _, what := range []string{"commit", "rebase", "cherry-pick", "revert", "am"} {
			if strings.HasPrefix(e.What, what) {
				r.made[e.New] = true
			}
		}
	}
	return r.made
}

// reflog returns the entries of HEAD's reflog, the oldest first; none if it cannot be read.
func (r *Resolver) reflog(ctx context.Context) []git.ReflogEntry {
	return git.ParseReflog(r.repo.ReflogTail(ctx, r.repo.GitDir, "HEAD", reflogMax))
}
