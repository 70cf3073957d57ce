package records

import (
	"context"
	"fmt"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/shadow"
	"entire/internal/git"
)

// otherRoots returns the trees of the metadata branches that were fetched from other remotes than origin, such as
// the forks of contributors. They come last, and their tombstones do not count: a fork replaces and forgets nothing.
func (r *Reader) otherRoots(ctx context.Context) ([]git.OID, error) {
	folder := "refs/remotes/"
	if !r.Repo.Ordinary { // git lists the refs: only those that matter
		folder += "**/" + shadow.MetadataBranch
	}
	refs, err := r.Repo.Refs(ctx, folder)
	if err != nil {
		return nil, fmt.Errorf("find checkpoints of other remotes: %w", err)
	}
	var ask chunk.Batch
	var trees []git.OID
	for _, ref := range refs {
		if !strings.HasSuffix(ref.Name, "/"+shadow.MetadataBranch) || ref.Name == shadow.RemoteMetadataRef {
			continue
		}
		ask.Add(ref.OID.String(), func(o git.Object) error {
			c, err := git.ParseCommit(o.OID, o.Data)
			if err == nil && o.Type == "commit" {
				trees = append(trees, c.Tree)
			}
			return nil
		})
	}
	return trees, ask.Run(r.Repo.Reader(ctx))
}
