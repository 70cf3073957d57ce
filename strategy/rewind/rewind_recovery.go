package rewind

import (
	"context"
	"errors"
	"fmt"

	"entire/strategy/condense"
	"entire/strategy/link"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
)

// Recover finishes what a crash interrupted: a rewind, or the linking of a commit. The lines it
// returns are for a person to read; a hook logs them.
func Recover(ctx context.Context, s *sessionstate.Env) ([]string, error) {
	lines, err := resumeRewind(ctx, s)
	return lines, errors.Join(err, link.FinishPending(ctx, s))
}

// resumeRewind finishes an interrupted rewind, or rolls it back, and returns what to tell the person.
func resumeRewind(ctx context.Context, s *sessionstate.Env) ([]string, error) {
	if !UnderWay(s) {
		return nil, nil
	}
	lock, err := condense.RewindLock(ctx, s)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	j, err := restore.ReadJournal(s)
	if err != nil {
		return nil, err
	}
	if j == nil {
		return clearStaged(s)
	}
	out, err := CarryOutJournal(ctx, s, j, false)
	var back *restore.RolledBackError
	switch {
	case errors.As(err, &back):
		return []string{fmt.Sprintf("the interrupted rewind to %s was rolled back: %v; your files are as they were before it", j.Point.Short(), back.Err)}, nil
	case err != nil:
		return nil, fmt.Errorf("finish the interrupted rewind to %s: %w", j.Point.Short(), err)
	}
	s.Log.Info("interrupted rewind finished", "point", j.Point.Short(), "written", len(out.Written), "removed", len(out.Removed))
	lines := []string{fmt.Sprintf("finished the interrupted rewind to %s; what was there before is %s", j.Point.Short(), j.Safety.Short())}
	for _, k := range out.Kept {
		lines = append(lines, fmt.Sprintf("%s was left as it is: %s", k.Path, k.Why))
	}
	return lines, nil
}

// clearStaged removes what was staged for a rewind that has no journal: either no file was replaced
// yet, or all were.
func clearStaged(s *sessionstate.Env) ([]string, error) {
	done := restore.IsStageDone(s)
	if err := restore.ClearStage(s); err != nil || done {
		return nil, err
	}
	return []string{"a rewind was interrupted before it changed any file; what it had prepared was removed"}, nil
}

// UnderWay reports whether there is a journal, or staged files that a rewind left behind.
func UnderWay(s *sessionstate.Env) bool {
	return sessionstate.PathExists(condense.JournalPath(s)) || sessionstate.PathExists(restore.StageRoot(s)) || sessionstate.PathExists(restore.TreeStageRoot(s))
}
