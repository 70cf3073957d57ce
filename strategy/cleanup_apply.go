package strategy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
)

// FailedOrphan is an orphan that could not be deleted.
type FailedOrphan struct {
	Orphan
	Err error
}

// errInUse is returned for an orphan that has changed since it was listed, and stays.
var errInUse = errors.New("it has changed since it was listed")

// Cleanup deletes what a plan lists, each only if it is still as listed. A failure does not stop
// the others.
func (s *ManualCommitStrategy) Cleanup(ctx context.Context, plan *CleanupPlan) (deleted []Orphan, failed []FailedOrphan) {
	note := func(o Orphan, err error) {
		if err != nil {
			failed = append(failed, FailedOrphan{o, err})
			return
		}
		s.Log.Info("deleted", "kind", string(o.Kind), "name", o.Name, "was", o.oid.String())
		deleted = append(deleted, o)
	}
	var checkpoints []Orphan
	for _, o := range plan.Orphans {
		switch o.Kind {
		case OrphanCheckpoint:
			checkpoints = append(checkpoints, o)
		case OrphanState:
			note(o, s.dropState(ctx, o))
		case OrphanFile:
			note(o, s.dropFile(ctx, o))
		default:
			note(o, s.dropRef(ctx, o))
		}
	}
	s.dropCheckpoints(ctx, checkpoints, note)
	return deleted, failed
}

func (s *ManualCommitStrategy) dropRef(ctx context.Context, o Orphan) error {
	name := o.Name
	if o.Kind == OrphanBranch {
		name = "refs/heads/" + name
	}
	err := s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: name, Old: o.oid}})
	if errors.Is(err, git.ErrRefMoved) {
		return errInUse
	}
	return err
}

func (s *ManualCommitStrategy) dropState(ctx context.Context, o Orphan) error {
	lock, err := s.tryLock(ctx, o.seen.ID)
	if err != nil {
		return err
	}
	defer lock.Release()
	now, err := s.store.Load(ctx, o.seen.ID)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if now.Phase != o.seen.Phase || now.BaseCommit != o.seen.BaseCommit ||
		now.LastInteractionTime != nil && now.LastInteractionTime.After(o.seen.LastInteraction) {
		return errInUse
	}
	if err := s.store.Remove(ctx, o.seen.ID); err != nil {
		return err
	}
	return lock.Discard()
}

// lockWait is how long a clean-up waits for the lock of a session.
const lockWait = 200 * time.Millisecond

// tryLock locks a session, or returns errInUse if another process holds the lock.
func (s *ManualCommitStrategy) tryLock(ctx context.Context, sid id.SessionID) (*durable.Lock, error) {
	short, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock, err := s.store.Lock(short, sid)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, errInUse
	}
	return lock, err
}

func (s *ManualCommitStrategy) dropFile(ctx context.Context, o Orphan) error {
	if o.seen.ID.IsZero() {
		return os.RemoveAll(o.Name)
	}
	lock, err := s.tryLock(ctx, o.seen.ID)
	if err != nil {
		return err
	}
	defer lock.Release()
	if _, err := s.store.Load(ctx, o.seen.ID); !errors.Is(err, session.ErrNotFound) {
		return errors.Join(err, errInUse)
	}
	if err := s.store.Remove(ctx, o.seen.ID); err != nil { // the files that are left of the session
		return err
	}
	return lock.Discard()
}

// dropCheckpoints removes all of the checkpoints in one commit.
func (s *ManualCommitStrategy) dropCheckpoints(ctx context.Context, orphans []Orphan, note func(Orphan, error)) {
	if len(orphans) == 0 {
		return
	}
	seen := map[id.CheckpointID]git.OID{}
	for _, o := range orphans {
		if cp, err := id.NewCheckpointID(o.Name); err == nil {
			seen[cp] = o.oid
		}
	}
	removed, err := checkpoint.RemoveCheckpoints(ctx, s.repo, seen)
	gone := map[string]bool{}
	for _, cp := range removed {
		gone[cp.String()] = true
	}
	for _, o := range orphans {
		switch {
		case gone[o.Name]:
			note(o, nil)
		case err != nil:
			note(o, fmt.Errorf("write %s: %w", checkpoint.MetadataBranch, err))
		default:
			note(o, errInUse)
		}
	}
}
