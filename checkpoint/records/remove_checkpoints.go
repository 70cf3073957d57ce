package records

import (
	"context"
	"fmt"

	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// cleanupSignature signs the removal of checkpoints: the program, not the user who runs it.
var cleanupSignature = git.Signature{Name: "Entire CLI", Email: "cli@entire.io"}

// Local returns the trees of checkpoints on the local metadata branch, without checkpoints that
// are not there.
func (r *Reader) Local(ctx context.Context, ids []id.CheckpointID) (map[id.CheckpointID]git.OID, error) {
	return r.onBranch(ctx, shadow.MetadataRef, ids)
}

// onBranch returns the trees of checkpoints on one branch, given by ref or commit, which need not
// exist.
func (r *Reader) onBranch(ctx context.Context, ref string, ids []id.CheckpointID) (map[id.CheckpointID]git.OID, error) {
	found := map[id.CheckpointID]git.OID{}
	c, ok, err := r.Repo.Reader(ctx).CommitOf(ref)
	if err != nil || !ok || len(ids) == 0 {
		return found, err
	}
	at, err := metadata.LookUp(r.Repo.Reader(ctx), c.Tree, ids)
	if err != nil {
		return nil, fmt.Errorf("look for checkpoints on %s: %w", ref, err)
	}
	for i, cp := range ids {
		if !at[i].IsZero() {
			found[cp] = at[i]
		}
	}
	return found, nil
}

// Shared reports which of ids are on a metadata branch that was fetched or pushed, so that
// other people may have them.
func (r *Reader) Shared(ctx context.Context, ids []id.CheckpointID) (map[id.CheckpointID]bool, error) {
	refs, err := r.Repo.Refs(ctx, "refs/remotes/**/"+shadow.MetadataBranch)
	if err != nil {
		return nil, err
	}
	shared := map[id.CheckpointID]bool{}
	for _, ref := range refs {
		found, err := r.onBranch(ctx, ref.Name, ids)
		if err != nil {
			return nil, err
		}
		for cp := range found {
			shared[cp] = true
		}
	}
	return shared, nil
}

// RemoveCheckpoints removes checkpoints from the local metadata branch, in one commit on top of
// it. A merge with a branch that still has them keeps them removed. seen has the tree of each
// when the caller looked at it; a checkpoint that has changed since stays. It returns the
// removed ones.
func RemoveCheckpoints(ctx context.Context, repo *git.Repo, seen map[id.CheckpointID]git.OID) (removed []id.CheckpointID, err error) {
	ids := make([]id.CheckpointID, 0, len(seen))
	for cp := range seen {
		ids = append(ids, cp)
	}
	reader := NewReader(repo)
	err = metadata.UpdateMetadata(ctx, repo, nil, func(tip git.OID) (git.OID, error) {
		removed = nil
		now, err := reader.onBranch(ctx, tip.String(), ids)
		if err != nil {
			return git.OID{}, err
		}
		var edits []git.Edit
		for _, cp := range ids {
			if now[cp] == seen[cp] {
				removed = append(removed, cp)
				edits = append(edits, git.Edit{Path: cp.Path()})
			}
		}
		if len(edits) == 0 {
			return tip, nil
		}
		return buildRemoval(ctx, repo, tip, edits)
	})
	if err != nil {
		return nil, fmt.Errorf("remove checkpoints: %w", err)
	}
	return removed, nil
}

// buildRemoval dates the removal like the commit below it, because it adds no content.
func buildRemoval(ctx context.Context, repo *git.Repo, tip git.OID, edits []git.Edit) (git.OID, error) {
	parent, err := repo.Reader(ctx).Commit(tip)
	if err != nil {
		return git.OID{}, err
	}
	tree, err := repo.EditTree(ctx, parent.Tree, edits)
	if err != nil {
		return git.OID{}, err
	}
	author, committer := cleanupSignature, cleanupSignature
	author.When, committer.When = parent.Author.When, parent.Committer.When
	w := repo.Writer()
	oid, err := w.Commit(git.Commit{Tree: tree, Parents: []git.OID{tip}, Author: author, Committer: committer,
		Message: fmt.Sprintf("Cleanup: removed %d orphaned checkpoints\n", len(edits))})
	if err != nil {
		return git.OID{}, err
	}
	return oid, w.Sync()
}
