package step

import (
	"context"
	"slices"
	"time"

	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// tipLost reports whether a branch that seems not to exist, and cannot be created, names a step
// that git has lost. Where only git can tell, git is asked at the third try.
func tipLost(ctx context.Context, s *sessionstate.Env, ref string, try int) bool {
	if s.Repo.MayBeBroken(ctx, ref) {
		return true
	}
	if try != 2 {
		return false
	}
	tip, exists, err := s.Repo.Ref(ctx, ref)
	if err != nil || !exists {
		return false
	}
	lost, err := AnyLost(ctx, s, tip)
	return err == nil && lost
}

// AnyLost reports whether one of some objects is missing; zero IDs are ignored.
func AnyLost(ctx context.Context, s *sessionstate.Env, oids ...git.OID) (bool, error) {
	var specs []string
	for _, oid := range oids {
		if !oid.IsZero() {
			specs = append(specs, oid.String())
		}
	}
	objs, err := s.Repo.Reader(ctx).Small(1, specs...)
	return slices.ContainsFunc(objs, func(o git.Object) bool { return o.Type == "" }), err
}

// Ages from which something counts as left over. A younger thing may belong to a process that is
// still writing.
const (
	OrphanAge = 10 * time.Minute
	IdleAge   = 24 * time.Hour      // of a session that has not ended
	UndoAge   = 30 * 24 * time.Hour // after which an undo is not needed
)

// Days returns a duration in whole days, in words.
func Days(d time.Duration) string { return worktree.Counted(int(d.Hours()/24), "day") }
