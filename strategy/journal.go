package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
)

// journal is a rewind under way. It is written when everything the rewind needs
// is durable and removed when it is done: whoever finds one finishes it.
type journal struct {
	Version int          `json:"version"` // 1
	Session id.SessionID `json:"session"`
	Point   git.OID      `json:"point"`  // the step gone back to
	Safety  git.OID      `json:"safety"` // the step that holds what it was
	Changes []planned    `json:"changes"`
}

// planned is one change in a form that JSON can hold for any path.
type planned struct {
	Path    string  `json:"path"`
	OldMode uint32  `json:"old_mode,omitempty"`
	NewMode uint32  `json:"new_mode,omitempty"`
	Old     git.OID `json:"old,omitzero"`
	New     git.OID `json:"new,omitzero"`
}

func (p planned) path() string { return textPath(p.Path) }

func (s *ManualCommitStrategy) journalPath() string {
	return filepath.Join(s.localDir(), "rewind.json")
}

func (s *ManualCommitStrategy) stageRoot() string { return filepath.Join(s.localDir(), "stage") }

// stage is the folder with the files that a rewind places.
func (s *ManualCommitStrategy) stage(j *journal) string {
	return filepath.Join(s.stageRoot(), j.Point.Short())
}

func (s *ManualCommitStrategy) writeJournal(j *journal) error {
	data, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(s.journalPath(), data, 0o600)
}

// readJournal returns nil when no rewind is under way.
func (s *ManualCommitStrategy) readJournal() (*journal, error) {
	data, err := os.ReadFile(s.journalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read rewind journal: %w", err)
	}
	var j journal
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, fmt.Errorf("read rewind journal %s: %w", s.journalPath(), err)
	}
	return &j, nil
}

// Recover finishes what a crash left behind: a rewind under way, a commit that
// was not settled. The lines it returns are for a person to read; a hook logs
// them.
func (s *ManualCommitStrategy) Recover(ctx context.Context) ([]string, error) {
	lines, err := s.resumeRewind(ctx)
	return lines, errors.Join(err, s.resumeCommit(ctx))
}

func (s *ManualCommitStrategy) resumeRewind(ctx context.Context) ([]string, error) {
	if !exists(s.journalPath()) && !exists(s.stageRoot()) {
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
	if j == nil { // nothing was replaced yet, or everything was
		return nil, os.RemoveAll(s.stageRoot())
	}
	out, err := s.carryOut(ctx, j)
	if err != nil {
		return nil, fmt.Errorf("finish the rewind to %s: %w", j.Point.Short(), err)
	}
	s.Log.Info("interrupted rewind finished", "point", j.Point.Short(), "written", len(out.Written), "removed", len(out.Removed))
	return []string{fmt.Sprintf("finished the interrupted rewind to %s; what was there before is %s", j.Point.Short(), j.Safety.Short())}, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// rewindLock guards the worktree's journal: one rewind at a time.
func (s *ManualCommitStrategy) rewindLock(ctx context.Context) (*durable.Lock, error) {
	return durable.Acquire(ctx, filepath.Join(s.localDir(), "rewind.lock"))
}

// EnsureSetup makes sure that the metadata branch exists.
func (s *ManualCommitStrategy) EnsureSetup(ctx context.Context) error {
	if _, err := os.Lstat(filepath.Join(s.repo.CommonDir, filepath.FromSlash(checkpoint.MetadataRef))); err == nil {
		return nil
	}
	return checkpoint.EnsureMetadataBranch(ctx, s.repo)
}
