package sealing

import (
	"context"
	"errors"
	"fmt"

	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/internal/git"
)

// ErrNeedBodies is returned by Absorb if only a manifest was fetched, and this clone has an epoch with checkpoints of
// its own: the month's checkpoints are fetched, and joined with these.
var ErrNeedBodies = errors.New("the month's checkpoints are needed")

// Absorb joins the epoch of another clone, given by its fetched commits, with the one that is here. Without bodies only
// the manifest was fetched. A clone that has only the manifest of a month takes the other's.
func Absorb(ctx context.Context, repo *git.Repo, m epoch.Month, manifest, bodies git.OID) error {
	var err error
	for try := 0; ; try++ {
		if err = absorbOnce(ctx, repo, m, manifest, bodies); !errors.Is(err, git.ErrRefMoved) || try >= metadata.WriteTries {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("join the epoch %s with the fetched one: %w", m, err)
	}
	return nil
}

// absorbOnce takes a month's manifest from elsewhere. If this clone has bodies of its own, both are joined,
// which needs the other's bodies: see ErrNeedBodies.
func absorbOnce(ctx context.Context, repo *git.Repo, m epoch.Month, manifest, bodies git.OID) error {
	at, err := stateOf(ctx, repo, m)
	if err != nil {
		return err
	}
	if !bodies.IsZero() {
		if err := fits(ctx, repo, m, manifest, bodies); err != nil {
			return err
		}
	}
	alone := at.bodies.IsZero() // without bodies, nothing here is of this clone alone
	switch {
	case alone && manifest == at.manifest && bodies.IsZero():
		return nil
	case alone:
		return at.move(ctx, repo, manifest, bodies)
	case manifest == at.manifest:
		return nil
	case bodies.IsZero():
		return ErrNeedBodies
	}
	ours, err := at.rows(ctx, repo)
	if err != nil {
		return err
	}
	theirs, err := state{month: m, manifest: manifest}.rows(ctx, repo)
	if err != nil {
		return err
	}
	rows, err := join(ctx, repo, ours, theirs)
	if err == nil {
		rows, err = withoutForgotten(ctx, repo, rows)
	}
	if err != nil {
		return err
	}
	return at.write(ctx, repo, rows, manifest)
}

// fits reports whether two fetched commits are of one epoch: another clone may have replaced them in between.
func fits(ctx context.Context, repo *git.Repo, m epoch.Month, manifest, bodies git.OID) error {
	one, err := epoch.Open(repo.Reader(ctx), m, manifest)
	if err != nil {
		return err
	}
	meta, err := one.Meta(repo.Reader(ctx))
	if err == nil && meta.Bodies != bodies {
		err = fmt.Errorf("the manifest is of %s, and the checkpoints are %s", meta.Bodies.Short(), bodies.Short())
	}
	return err
}

// move sets the month's refs; a zero bodies leaves that ref.
func (s state) move(ctx context.Context, repo *git.Repo, manifest, bodies git.OID) error {
	var moves []git.RefUpdate
	if bodies != s.bodies && !bodies.IsZero() {
		moves = append(moves, git.RefUpdate{Name: s.month.BodyRef(), New: bodies, Old: s.bodies})
	}
	if manifest != s.manifest {
		moves = append(moves, git.RefUpdate{Name: s.month.Ref(), New: manifest, Old: s.manifest})
	}
	return repo.UpdateRefs(ctx, moves)
}
