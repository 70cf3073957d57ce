package metadata

import (
	"context"
	"errors"
	"fmt"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// A place is where a checkpoint is written: the metadata branch, or a ref of its own.
type place struct {
	own    bool    // a ref of its own, whose tree is the checkpoint
	ref    string  // the full name
	tip    git.OID // the commit to build on; zero: the ref begins here
	old    git.OID // what the ref must be when it moves; zero: it must not exist
	branch git.OID // of an own ref: the metadata branch's tip, which has the tombstones
}

func onBranch(tip git.OID) place { return place{ref: shadow.MetadataRef, tip: tip} }

// placeOf returns where the checkpoint is. A checkpoint that is nowhere yet belongs into a ref of
// its own if its ID is a ULID, and otherwise on the branch.
func placeOf(ctx context.Context, repo *git.Repo, cp id.CheckpointID) (place, error) {
	old, start, err := Tip(ctx, repo)
	if err != nil {
		return place{}, err
	}
	branch := place{ref: shadow.MetadataRef, tip: start, old: old}
	if cp.IsZero() {
		return branch, nil // the build refuses it
	}
	own := place{own: true, ref: CheckpointRef(cp), branch: start}
	tip, found, err := repo.Ref(ctx, own.ref)
	if err != nil {
		return place{}, fmt.Errorf("read %s: %w", own.ref, err)
	}
	if found {
		own.tip, own.old = tip, tip
		return own, nil
	}
	switch {
	case !cp.IsULID():
		return branch, nil
	case start.IsZero():
		return own, nil
	}
	c, err := repo.Reader(ctx).Commit(start)
	if err != nil {
		return place{}, err
	}
	at, err := LookUp(repo.Reader(ctx), c.Tree, []id.CheckpointID{cp})
	if err != nil {
		return place{}, fmt.Errorf("look for checkpoint %s: %w", cp, err)
	}
	if !at[0].IsZero() {
		return branch, nil
	}
	return own, nil
}

// updateCheckpoint moves the ref of the place where cp is to the commit that build makes,
// together with the refs in also, in one transaction. It builds again if the ref has moved
// meanwhile; see [UpdateMetadata].
func updateCheckpoint(ctx context.Context, repo *git.Repo, cp id.CheckpointID, also []git.RefUpdate, build func(at place) (git.OID, error)) error {
	return updatePlaces(ctx, repo, cp, also, func(at place) ([]git.RefUpdate, error) {
		tip, err := build(at)
		if err != nil || tip == at.old {
			return nil, err
		}
		return []git.RefUpdate{{Name: at.ref, New: tip, Old: at.old}}, nil
	})
}

// updatePlaces is updateCheckpoint for a build that moves several refs.
func updatePlaces(ctx context.Context, repo *git.Repo, cp id.CheckpointID, also []git.RefUpdate, build func(at place) ([]git.RefUpdate, error)) error {
	turn := waitForWriters(ctx, repo)
	defer turn.Release()
	for try := 0; ; try++ {
		at, err := placeOf(ctx, repo, cp)
		if err != nil {
			return err
		}
		moves, err := build(at)
		if err == nil && at.own {
			moves, err = withKeys(ctx, repo, moves)
		}
		if err != nil {
			return err
		}
		if updates := append(moves, also...); len(updates) > 0 {
			err = repo.UpdateRefs(ctx, updates)
		}
		if !errors.Is(err, git.ErrRefMoved) || try >= WriteTries {
			return err
		}
		if now, rerr := placeOf(ctx, repo, cp); rerr != nil || now == at {
			return errors.Join(err, rerr) // another of the refs has moved
		}
	}
}

// WriteRecord stores rec. When it returns, the record is in the checkpoint's place, however many
// others write at the same time.
func WriteRecord(ctx context.Context, repo *git.Repo, rec Record) error {
	return WriteRecordWith(ctx, repo, rec, nil)
}

// WriteRecordWith is WriteRecord in one transaction with the refs in also. If one of those has
// moved, the error is [git.ErrRefMoved].
func WriteRecordWith(ctx context.Context, repo *git.Repo, rec Record, also []git.RefUpdate) error {
	return updatePlaces(ctx, repo, rec.ID, also, func(at place) ([]git.RefUpdate, error) {
		tip, err := buildRecord(ctx, repo, at, rec)
		if err != nil {
			return nil, err
		}
		var moves []git.RefUpdate
		if tip != at.old {
			moves = append(moves, git.RefUpdate{Name: at.ref, New: tip, Old: at.old})
		}
		if !at.own || rec.UnnamedCommit.IsZero() {
			return moves, nil
		}
		link, err := linkMove(ctx, repo, rec.UnnamedCommit, rec.ID, rec.Author)
		return append(moves, link...), err
	})
}

// linkMove returns the move of the metadata branch that links a commit to a checkpoint in a ref of
// its own; none if the link is there.
func linkMove(ctx context.Context, repo *git.Repo, commit git.OID, cp id.CheckpointID, author git.Signature) ([]git.RefUpdate, error) {
	old, start, err := Tip(ctx, repo)
	if err != nil {
		return nil, err
	}
	tip, err := BuildLink(ctx, repo, start, commit, cp, author)
	if err != nil || tip == old {
		return nil, err
	}
	return []git.RefUpdate{{Name: shadow.MetadataRef, New: tip, Old: old}}, nil
}

// FinalizeTranscript stores fin where the checkpoint is; see [BuildFinal].
func FinalizeTranscript(ctx context.Context, repo *git.Repo, fin Finalization) error {
	return updateCheckpoint(ctx, repo, fin.ID, nil, func(at place) (git.OID, error) {
		return buildFinal(ctx, repo, at, fin)
	})
}
