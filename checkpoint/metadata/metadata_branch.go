package metadata

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"entire/checkpoint/shadow"
	"entire/internal/durable"
	"entire/internal/git"
)

const (
	initialMessage = "Initialize metadata branch\n\nThis branch holds the checkpoints of AI coding sessions.\n"

	// WriteTries bounds how often a write is rebuilt on a branch that has moved.
	WriteTries = 50

	// writersWait bounds how long a writer waits for other writers of the branch.
	writersWait = 2 * time.Second
)

// Tip reads the metadata branch. old is the expected value when the branch is moved,
// zero if it does not exist. start is the commit to build on: the tip of origin's branch if
// there is no local one yet.
func Tip(ctx context.Context, repo *git.Repo) (old, start git.OID, err error) {
	for _, ref := range []string{shadow.MetadataRef, shadow.RemoteMetadataRef} {
		c, ok, err := repo.Reader(ctx).CommitOf(ref)
		if err != nil {
			return old, start, fmt.Errorf("read %s: %w", ref, err)
		}
		if ok && ref == shadow.MetadataRef {
			return c.OID, c.OID, nil
		}
		if ok {
			return old, c.OID, nil
		}
	}
	return old, start, nil
}

// UpdateMetadata moves the metadata branch to the commit that build makes on its tip, together
// with the refs in also, in one transaction. If the branch has moved meanwhile, UpdateMetadata
// calls build again with the new tip, so build must keep nothing from an earlier call. If
// another of the refs has moved, the error is [git.ErrRefMoved].
func UpdateMetadata(ctx context.Context, repo *git.Repo, also []git.RefUpdate, build func(tip git.OID) (git.OID, error)) error {
	return UpdateTogether(ctx, repo, func(tip git.OID) (git.OID, []git.RefUpdate, error) {
		tip, err := build(tip)
		return tip, also, err
	})
}

// UpdateTogether is UpdateMetadata for a build that says which other refs move with the branch.
func UpdateTogether(ctx context.Context, repo *git.Repo, build func(tip git.OID) (git.OID, []git.RefUpdate, error)) error {
	turn := waitForWriters(ctx, repo)
	defer turn.Release()
	for try := 0; ; try++ {
		old, start, err := Tip(ctx, repo)
		if err != nil {
			return err
		}
		tip, updates, err := build(start)
		if err != nil {
			return err
		}
		if tip != old {
			updates = append([]git.RefUpdate{{Name: shadow.MetadataRef, New: tip, Old: old}}, updates...)
		}
		if len(updates) == 0 {
			return nil
		}
		err = repo.UpdateRefs(ctx, updates)
		if !errors.Is(err, git.ErrRefMoved) || try >= WriteTries {
			return err
		}
		if now, _, rerr := Tip(ctx, repo); rerr != nil || now == old {
			return errors.Join(err, rerr)
		}
	}
}

// waitForWriters lets writers of the metadata branch take turns, so that none has to build many
// times. The compare-and-swap alone prevents lost writes, so a writer continues without the
// lock after writersWait, or if it cannot have it.
func waitForWriters(ctx context.Context, repo *git.Repo) *durable.Lock {
	ctx, cancel := context.WithTimeout(ctx, writersWait)
	defer cancel()
	lock, err := durable.Acquire(ctx, filepath.Join(repo.CommonDir, "entire", "metadata.lock"))
	if err != nil {
		return nil
	}
	return lock
}

// EnsureMetadataBranch creates the metadata branch if it does not exist: from origin's branch,
// from another remote's as it was last fetched, or as an orphan commit of the empty tree. It
// does not use the network.
func EnsureMetadataBranch(ctx context.Context, repo *git.Repo) error {
	old, start, err := Tip(ctx, repo)
	if err != nil || !old.IsZero() {
		return err
	}
	if start.IsZero() {
		refs, err := repo.Refs(ctx, "refs/remotes/*/"+shadow.MetadataBranch)
		if err != nil {
			return fmt.Errorf("create %s: %w", shadow.MetadataBranch, err)
		}
		if len(refs) > 0 {
			start = refs[0].OID
		}
	}
	if start.IsZero() {
		if start, err = InitialCommit(repo); err != nil {
			return fmt.Errorf("create %s: %w", shadow.MetadataBranch, err)
		}
	}
	err = repo.UpdateRefs(ctx, []git.RefUpdate{{Name: shadow.MetadataRef, New: start}})
	if errors.Is(err, git.ErrRefMoved) {
		return nil // another process has created it
	}
	return err
}

// InitialCommit writes the first commit of a metadata branch. It is the same in every
// repository, so that branches created separately have a common ancestor.
func InitialCommit(repo *git.Repo) (git.OID, error) {
	w := repo.Writer()
	tree, err := w.Tree(nil)
	if err != nil {
		return git.OID{}, err
	}
	who := Signature(git.Signature{When: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)})
	return w.Commit(git.Commit{Tree: tree, Author: who, Committer: who, Message: initialMessage})
}
