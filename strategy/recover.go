package strategy

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Recover finishes what a crash interrupted: a rewind, or the linking of a commit. The lines it
// returns are for a person to read; a hook logs them.
func (s *ManualCommitStrategy) Recover(ctx context.Context) ([]string, error) {
	lines, err := s.resumeRewind(ctx)
	return lines, errors.Join(err, s.resumeCommit(ctx))
}

func (s *ManualCommitStrategy) resumeRewind(ctx context.Context) ([]string, error) {
	if !s.rewindUnderWay() {
		return nil, nil
	}
	lock, err := s.rewindLock(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	j, err := s.readJournal()
	if err != nil {
		return nil, err
	}
	if j == nil {
		return s.clearRest()
	}
	out, err := s.carryOut(ctx, j, false)
	var back *RolledBackError
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

// clearRest removes what was staged for a rewind that has no journal: either no file was replaced
// yet, or all were.
func (s *ManualCommitStrategy) clearRest() ([]string, error) {
	done := s.stageDone()
	if err := s.clearStage(); err != nil || done {
		return nil, err
	}
	return []string{"a rewind was interrupted before it changed any file; what it had prepared was removed"}, nil
}

// rewindUnderWay reports whether there is a journal, or staged files that a rewind left behind.
func (s *ManualCommitStrategy) rewindUnderWay() bool {
	return exists(s.journalPath()) || exists(s.stageRoot()) || exists(s.treeStageRoot())
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
