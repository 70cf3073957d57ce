package tombstone

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// Forgetting names the checkpoints that Forget permanently removes.
type Forgetting struct {
	IDs    []id.CheckpointID
	Reason string // "" for none; it is stored as one line, redacted
	When   time.Time
	Author git.Signature

	Progress func(done, total int) // called for each commit of the history; may be nil
}

// Forget rewrites the history of the local metadata branch, from the first commit that has one
// of the checkpoints, as if they had never been written, and adds a tombstone for each. A merge
// with a branch that still has the checkpoints drops them there, and nothing is written under
// their IDs any more. An existing tombstone stays as it is.
//
// The branch moves once: if Forget is interrupted, it is the old or the new one. The old
// objects stay in the repository until git prunes them, but none of our branches reaches them;
// see [DropReflog].
func Forget(ctx context.Context, repo *git.Repo, f Forgetting) (old, tip git.OID, err error) {
	_, start, err := metadata.Tip(ctx, repo)
	if err != nil {
		return old, tip, err
	}
	k, err := f.rewriter(ctx, repo, start)
	if err == nil {
		_, err = k.rewrite(start) // do the long work before other writers have to wait
	}
	if err == nil {
		err = metadata.UpdateMetadata(ctx, repo, nil, func(now git.OID) (git.OID, error) {
			old = now
			next, err := f.rewriter(ctx, repo, now)
			if err != nil {
				return git.OID{}, err
			}
			if len(next.forgotten) != len(k.forgotten) || next.redactions.Len() != k.redactions.Len() {
				k = next // another process has forgotten checkpoints, too
			}
			tip, err = f.build(k, now)
			return tip, err
		})
	}
	if err != nil {
		return git.OID{}, git.OID{}, fmt.Errorf("forget checkpoints: %w", err)
	}
	return old, tip, nil
}

func (f *Forgetting) rewriter(ctx context.Context, repo *git.Repo, tip git.OID) (*historyRewriter, error) {
	known, err := rewriterOf(ctx, repo, tip)
	if err != nil {
		return nil, err
	}
	gone := metadata.Forgotten{}
	for _, cp := range slices.Concat(known.forgotten, f.IDs) {
		gone[cp] = true
	}
	k := newHistoryRewriter(ctx, repo, gone)
	k.redactions = known.redactions
	k.index()
	k.Progress = f.Progress
	return k, nil
}

// build makes the new branch: the rewritten history and a commit with the tombstones.
func (f *Forgetting) build(k *historyRewriter, old git.OID) (git.OID, error) {
	tip, err := k.rewrite(old)
	if err != nil {
		return git.OID{}, err
	}
	if tip.IsZero() {
		if tip, err = metadata.InitialCommit(k.Repo); err != nil {
			return git.OID{}, err
		}
	}
	tree, err := k.TreeOf(tip)
	if err != nil {
		return git.OID{}, err
	}
	have, err := metadata.ReadForgotten(k.Reader, tree)
	if err != nil {
		return git.OID{}, err
	}
	var edits []git.Edit
	for _, cp := range have.Without(f.IDs) {
		data, err := chunk.EncodeDocument(metadata.Tombstone{Version: metadata.TombstoneVersion, ID: cp, When: f.When.UTC().Truncate(time.Second), Reason: metadata.PlainReason(f.Reason)})
		if err != nil {
			return git.OID{}, err
		}
		blob, err := k.Writer.Blob(data)
		if err != nil {
			return git.OID{}, err
		}
		edits = append(edits, git.Edit{Path: metadata.TombstonePath(cp), Mode: git.ModeFile, OID: blob})
	}
	if len(edits) == 0 {
		return tip, nil
	}
	if tree, err = k.Repo.EditTree(k.ctx, tree, edits); err != nil {
		return git.OID{}, err
	}
	who := metadata.Signature(f.Author)
	who.When = f.When
	tip, err = k.Writer.Commit(git.Commit{Tree: tree, Parents: []git.OID{tip}, Author: who, Committer: who, Message: forgetMessage(len(edits))})
	return tip, errors.Join(err, k.Writer.Sync())
}

// forgetMessage does not name the checkpoints: the tombstones do.
func forgetMessage(n int) string { return fmt.Sprintf("Forget %d checkpoint(s)\n", n) }

// tombstonesOf returns the tombstones in the last trees of histories.
func tombstonesOf(rd *git.Reader, tips ...git.OID) (metadata.Forgotten, error) {
	trees, err := treesOf(rd, tips...)
	if err != nil {
		return nil, err
	}
	return metadata.ReadForgotten(rd, trees...)
}

// treesOf returns the trees of commits, without zero ones.
func treesOf(rd *git.Reader, tips ...git.OID) (trees []git.OID, err error) {
	for _, tip := range tips {
		if tip.IsZero() {
			continue
		}
		c, err := rd.Commit(tip)
		if err != nil {
			return nil, err
		}
		trees = append(trees, c.Tree)
	}
	return trees, nil
}

// DropForgotten removes forgotten checkpoints from the local metadata branch, if a program that does
// not know tombstones has written them again, and reports whether it removed any.
func DropForgotten(ctx context.Context, repo *git.Repo) (changed bool, err error) {
	if old, _, err := metadata.Tip(ctx, repo); err != nil || old.IsZero() {
		return false, err
	}
	err = metadata.UpdateMetadata(ctx, repo, nil, func(tip git.OID) (git.OID, error) {
		clean, err := WithoutForgotten(ctx, repo, []git.OID{tip})
		if err != nil {
			return git.OID{}, err
		}
		changed = clean[0] != tip
		return clean[0], nil
	})
	if err != nil {
		return false, fmt.Errorf("drop what is forgotten: %w", err)
	}
	return changed, nil
}

// WithoutForgotten returns the histories without the checkpoints that have a tombstone in any of them, and
// without the secrets that were taken out of the others in any of them; a zero tip stays zero.
func WithoutForgotten(ctx context.Context, repo *git.Repo, tips []git.OID) ([]git.OID, error) {
	k, err := rewriterOf(ctx, repo, tips...)
	if err != nil || len(k.forgotten)+k.redactions.Len() == 0 {
		return tips, err
	}
	clean := make([]git.OID, len(tips))
	for i, tip := range tips {
		if tip.IsZero() {
			continue
		}
		if clean[i], err = k.rewrite(tip); err != nil {
			return nil, err
		}
	}
	return clean, nil
}

// Replaces reports whether the branch at tip was rewritten without checkpoints, or without secrets, that
// the history of theirs has. Such a branch does not descend from theirs, but may replace it once everything
// else of theirs is merged into it.
func Replaces(ctx context.Context, repo *git.Repo, tip, theirs git.OID) (bool, error) {
	if tip.IsZero() || theirs.IsZero() {
		return false, nil
	}
	k, err := rewriterOf(ctx, repo, tip)
	if err != nil {
		return false, err
	}
	held, err := k.commitsToChange(theirs, 1)
	return len(held) > 0, err
}

// DropReflog removes from a branch's reflog the commits that the branch does not reach any
// more, so that git may prune them.
func DropReflog(ctx context.Context, repo *git.Repo, ref string) error {
	_, err := repo.Run(ctx, "reflog", "exists", ref)
	var exit *git.ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return nil
	}
	if err == nil {
		_, err = repo.Run(ctx, "reflog", "expire", "--rewrite", "--expire=never", "--expire-unreachable=all", ref)
	}
	return err
}
