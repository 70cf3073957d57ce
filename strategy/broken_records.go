package strategy

import (
	"context"
	"errors"
	"slices"

	"entire/internal/git"
	"entire/session"
)

// forgetLost removes the names of lost objects from the states of this worktree's sessions. Their
// next steps build on what there is, and their transcripts are read again.
func (s *ManualCommitStrategy) forgetLost(ctx context.Context) error {
	sums, err := s.here(ctx)
	if err != nil {
		return err
	}
	for _, sum := range sums {
		if !pending(sum) && sum.CheckpointCount == 0 && sum.Phase == session.PhaseEnded {
			continue
		}
		err = errors.Join(err, s.inSession(ctx, sum.ID, func(o *open) error {
			if o.isNew {
				return session.ErrNotFound
			}
			return s.forgetLostOf(ctx, o)
		}))
	}
	return err
}

// forgetLostOf is forgetLost for one session.
func (s *ManualCommitStrategy) forgetLostOf(ctx context.Context, o *open) error {
	tip, _, err := s.repo.Reader(ctx).CommitOf(s.shadowRef(baseOf(o)))
	if err != nil {
		return err
	}
	for _, oid := range []*git.OID{&o.side.Tip, &o.side.Turn.Step} {
		if oid.IsZero() {
			continue
		}
		lost, err := s.repo.Lost(ctx, *oid)
		if err != nil {
			return err
		}
		if !lost.IsZero() {
			*oid = tip.OID
		}
	}
	if lost, err := s.anyLost(ctx, o.side.Capture.Log.Blobs()...); err != nil || !lost {
		return err
	}
	o.side.Chunks = max(o.side.Chunks, len(o.side.Capture.Log.Blobs()))
	o.side.Capture.becomes(capture{})
	return nil
}

// anyLost reports whether one of some objects is missing; zero IDs are ignored.
func (s *ManualCommitStrategy) anyLost(ctx context.Context, oids ...git.OID) (bool, error) {
	var specs []string
	for _, oid := range oids {
		if !oid.IsZero() {
			specs = append(specs, oid.String())
		}
	}
	objs, err := s.repo.Reader(ctx).Small(1, specs...)
	return slices.ContainsFunc(objs, func(o git.Object) bool { return o.Type == "" }), err
}
