package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
)

// prepared is what prepare-commit-msg hands to post-commit: the choice it made.
// It lies there until the commit is settled, so that a post-commit that was
// killed, or never ran, is made up for.
type prepared struct {
	Checkpoint id.CheckpointID `json:"checkpoint_id"`
	Sessions   []id.SessionID  `json:"sessions"`        // none: the message is linked, but by what it says already
	Again      bool            `json:"again,omitempty"` // the checkpoint is an amended commit's

	// On is HEAD when the choice was made: not yet the commit that it is for,
	// though one that is being amended names the checkpoint already.
	On git.OID `json:"on,omitzero"`

	Diff *treeDiff `json:"diff,omitempty"` // what was staged, nil if it is not known in this form

	// Auto is the commit that auto-commit is making; nil for a commit of the
	// user's.
	Auto *autoCommit `json:"auto,omitempty"`
}

// treeDiff is how two trees differ outside our own folder, found once for both hooks of a
// commit.
type treeDiff struct {
	From    git.OID      `json:"from,omitzero"`
	To      git.OID      `json:"to"`
	Changes []git.Change `json:"changes"`
}

// handedMax bounds the files of a treeDiff: with more of them reading it gains nothing.
const handedMax = 100

// newTreeDiff is nil for what cannot be handed on: trees that are not known, many files,
// and names that JSON does not keep.
func newTreeDiff(from, to git.OID, changes []git.Change) *treeDiff {
	odd := func(c git.Change) bool { return !utf8.ValidString(c.Path) }
	if to.IsZero() || len(changes) > handedMax || slices.ContainsFunc(changes, odd) {
		return nil
	}
	return &treeDiff{from, to, changes}
}

// codeDiffOnce compares two trees, unless that was done already.
func (s *ManualCommitStrategy) codeDiffOnce(ctx context.Context, from, to git.OID, known *treeDiff) ([]git.Change, error) {
	if known != nil && known.From == from && known.To == to {
		return known.Changes, nil
	}
	return s.codeDiff(ctx, from, to)
}

// isFor reports whether the choice was made for a commit.
func (p prepared) isFor(c git.Commit) bool {
	return c.OID != p.On && slices.Contains(checkpoint.ParseCheckpointTrailers(c.Message), p.Checkpoint)
}

func (s *ManualCommitStrategy) preparedPath() string {
	return filepath.Join(s.localDir(), "commit.json")
}

// prepared reports whether a choice waits for its commit.
func (s *ManualCommitStrategy) prepared() bool { return exists(s.preparedPath()) }

func (s *ManualCommitStrategy) writePrepared(p prepared) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if p.Auto != nil { // the user's index depends on it
		return durable.WriteFile(s.preparedPath(), data, 0o600)
	}
	return durable.WriteCache(s.preparedPath(), data, 0o600)
}

// readPrepared reads the choice; one that cannot be read is none, and is made
// again from the commit itself.
func (s *ManualCommitStrategy) readPrepared() (p prepared, ok bool) {
	data, err := os.ReadFile(s.preparedPath())
	if err != nil {
		return prepared{}, false
	}
	return parsePrepared(data)
}

func parsePrepared(data []byte) (p prepared, ok bool) {
	if json.Unmarshal(data, &p) != nil || p.Checkpoint.IsZero() || slices.ContainsFunc(p.Sessions, id.SessionID.IsZero) {
		return prepared{}, false
	}
	return p, true
}

func (s *ManualCommitStrategy) forgetPrepared() error {
	if err := os.Remove(s.preparedPath()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// commitLock guards the worktree's choice and its settling.
func (s *ManualCommitStrategy) commitLock(ctx context.Context) (*durable.Lock, error) {
	return durable.Acquire(ctx, filepath.Join(s.localDir(), "commit.lock"))
}

// resumeCommit settles the commit that a choice still waits for, if it was made.
// A commit that is only being made is left alone.
func (s *ManualCommitStrategy) resumeCommit(ctx context.Context) error {
	if !s.prepared() {
		return nil
	}
	lock, err := s.commitLock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	prep, ok := s.readPrepared()
	if !ok {
		return nil
	}
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err == nil && prep.Auto != nil && childOf(head, prep.Auto.Parent) {
		return s.settlePrepared(ctx, prep, head)
	}
	if err != nil || !born {
		return err
	}
	made, ok, err := s.madeFor(ctx, prep, head)
	if err != nil || !ok {
		return err
	}
	sums, err := s.here(ctx)
	if err != nil {
		return err
	}
	if err := s.linkCommit(ctx, made, sums); err != nil {
		return fmt.Errorf("settle commit %s: %w", made.OID.Short(), err)
	}
	return nil
}

// madeFor finds the commit that a choice was made for: HEAD, or one that HEAD
// has left since, as its reflog tells.
func (s *ManualCommitStrategy) madeFor(ctx context.Context, prep prepared, head git.Commit) (c git.Commit, ok bool, err error) {
	if prep.isFor(head) {
		return head, true, nil
	}
	lines := strings.Split(string(s.reflog()), "\n")
	for _, line := range slices.Backward(lines) {
		words := strings.Fields(line)
		if len(words) < 2 || prep.On.IsZero() || words[0] != prep.On.String() {
			continue
		}
		next, err := git.ParseOID(words[1])
		if err != nil {
			continue
		}
		if c, ok, err = s.repo.Reader(ctx).CommitOf(next.String()); err != nil || ok && prep.isFor(c) {
			return c, err == nil, err
		}
	}
	return git.Commit{}, false, nil
}
