package maintain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/handoff"
	"entire/strategy/sessionstate"
)

// FailedOrphan is an orphan that could not be deleted.
type FailedOrphan struct {
	handoff.Orphan
	Err error
}

// errInUse is returned for an orphan that has changed since it was listed, and stays.
var errInUse = errors.New("it has changed since it was listed")

// Cleanup deletes what a plan lists, each only if it is still as listed. A failure does not stop
// the others.
func Cleanup(ctx context.Context, s *sessionstate.Env, plan *handoff.CleanupPlan) (deleted []handoff.Orphan, failed []FailedOrphan) {
	note := func(o handoff.Orphan, err error) {
		if err != nil {
			failed = append(failed, FailedOrphan{o, err})
			return
		}
		s.Log.Info("deleted", "kind", string(o.Kind), "name", o.Name, "was", o.OID.String())
		deleted = append(deleted, o)
	}
	var checkpoints []handoff.Orphan
	for _, o := range plan.Orphans {
		switch o.Kind {
		case handoff.OrphanCheckpoint:
			checkpoints = append(checkpoints, o)
		case handoff.OrphanState:
			note(o, dropState(ctx, s, o))
		case handoff.OrphanFile:
			note(o, dropFile(ctx, s, o))
		default:
			note(o, dropRef(ctx, s, o))
		}
	}
	dropCheckpoints(ctx, s, checkpoints, note)
	return deleted, failed
}

func dropRef(ctx context.Context, s *sessionstate.Env, o handoff.Orphan) error {
	name := o.Name
	if o.Kind == handoff.OrphanBranch {
		name = "refs/heads/" + name
	}
	err := s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: name, Old: o.OID}})
	if errors.Is(err, git.ErrRefMoved) {
		return errInUse
	}
	return err
}

func dropState(ctx context.Context, s *sessionstate.Env, o handoff.Orphan) error {
	lock, err := tryLock(ctx, s, o.Seen.ID)
	if err != nil {
		return err
	}
	defer lock.Release()
	now, err := s.Store.Load(ctx, o.Seen.ID)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if now.Phase != o.Seen.Phase || now.BaseCommit != o.Seen.BaseCommit ||
		now.LastInteractionTime != nil && now.LastInteractionTime.After(o.Seen.LastInteraction) {
		return errInUse
	}
	if err := s.Store.Remove(ctx, o.Seen.ID); err != nil {
		return err
	}
	return lock.Discard()
}

// lockWait is how long a clean-up waits for the lock of a session.
const lockWait = 200 * time.Millisecond

// tryLock locks a session, or returns errInUse if another process holds the lock.
func tryLock(ctx context.Context, s *sessionstate.Env, sid id.SessionID) (*durable.Lock, error) {
	short, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock, err := s.Store.Lock(short, sid)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, errInUse
	}
	return lock, err
}

func dropFile(ctx context.Context, s *sessionstate.Env, o handoff.Orphan) error {
	if o.Seen.ID.IsZero() {
		return os.RemoveAll(o.Name)
	}
	lock, err := tryLock(ctx, s, o.Seen.ID)
	if err != nil {
		return err
	}
	defer lock.Release()
	if _, err := s.Store.Load(ctx, o.Seen.ID); !errors.Is(err, session.ErrNotFound) {
		return errors.Join(err, errInUse)
	}
	if err := s.Store.Remove(ctx, o.Seen.ID); err != nil { // the files that are left of the session
		return err
	}
	return lock.Discard()
}

// dropCheckpoints removes all of the checkpoints in one commit.
func dropCheckpoints(ctx context.Context, s *sessionstate.Env, orphans []handoff.Orphan, note func(handoff.Orphan, error)) {
	if len(orphans) == 0 {
		return
	}
	seen := map[id.CheckpointID]git.OID{}
	for _, o := range orphans {
		if cp, err := id.NewCheckpointID(o.Name); err == nil {
			seen[cp] = o.OID
		}
	}
	removed, err := records.RemoveCheckpoints(ctx, s.Repo, seen)
	gone := map[string]bool{}
	for _, cp := range removed {
		gone[cp.String()] = true
	}
	for _, o := range orphans {
		switch {
		case gone[o.Name]:
			note(o, nil)
		case err != nil:
			note(o, fmt.Errorf("write %s: %w", shadow.MetadataBranch, err))
		default:
			note(o, errInUse)
		}
	}
}
