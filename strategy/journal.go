package strategy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
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

// journalVersion is the version this program writes. It also finishes journals of version 1, which
// have no footprints and keep none of the files they replace.
const journalVersion = 2

// journal describes a rewind that has begun. It is written when everything the rewind needs is
// durable, and removed when the rewind is done. The next command that finds one finishes the rewind
// or rolls it back.
type journal struct {
	Version int          `json:"version"`
	ID      string       `json:"id,omitempty"` // names the staging folder
	Session id.SessionID `json:"session"`
	Point   git.OID      `json:"point"`  // the step that the rewind goes to
	Safety  git.OID      `json:"safety"` // the step that holds the worktree from before the rewind
	Before  git.OID      `json:"before,omitzero"`
	After   git.OID      `json:"after,omitzero"` // the trees before and after, for git's attributes
	InTree  bool         `json:"in_tree,omitempty"`
	Changes []planned    `json:"changes"`
	Folders []folder     `json:"folders,omitempty"` // folders that the rewind may remove

	Entry  *RewindEntry        `json:"entry,omitempty"` // the entry that the log will get
	Undoes git.OID             `json:"undoes,omitzero"` // undo and redo: the step of the rewind that is reversed
	Back   map[string][]string `json:"back,omitzero"`   // undo and redo: the Work of the rewind that is reversed
	Talk   *talkMark           `json:"talk,omitempty"`  // where the conversation goes, if not to the point's position
	State  git.OID             `json:"state,omitzero"`  // the step that the session's state follows, if not the point

	seen *snapshot // the worktree before, for a rewind that is carried out at once
}

// planned is one change, in a form that JSON can hold for any path.
type planned struct {
	Path    string  `json:"path"`
	OldMode uint32  `json:"old_mode,omitempty"`
	NewMode uint32  `json:"new_mode,omitempty"`
	Old     git.OID `json:"old,omitzero"`
	New     git.OID `json:"new,omitzero"`

	Was     *footprint `json:"was,omitempty"`     // of the file that is replaced or removed
	Now     *footprint `json:"now,omitempty"`     // of the file that is placed
	Raw     git.OID    `json:"raw,omitzero"`      // the blob of the bytes placed; New, unless a filter changes them
	Bytes   git.OID    `json:"bytes,omitzero"`    // the blob of the bytes to place, if not what the filters write
	Folders int        `json:"folders,omitempty"` // how many of the path's parent folders existed

	Stay int         `json:"stay,omitempty"` // how many of the path's parent folders stay, even if empty
	Perm fs.FileMode `json:"perm,omitempty"` // of a new file, if not the permissions git would give it
}

func (p planned) path() string { return textPath(p.Path) }

// folder is a removed folder that a rollback makes again.
type folder struct {
	Path string      `json:"path"`
	Mode fs.FileMode `json:"mode"`
}

func (s *ManualCommitStrategy) newJournal(plan *RewindPlan) (*journal, error) {
	var rnd [4]byte
	if _, err := rand.Read(rnd[:]); err != nil {
		return nil, err
	}
	j := &journal{Version: journalVersion, ID: hex.EncodeToString(rnd[:]), Session: plan.sid, Point: plan.step.OID,
		Before: plan.before, After: plan.after, Undoes: plan.undoes, Back: plan.back, Talk: plan.talk, State: plan.state}
	for _, c := range plan.Changes {
		ch := c.change
		j.Changes = append(j.Changes, planned{Path: pathText(ch.Path), OldMode: ch.OldMode, NewMode: ch.NewMode, Old: ch.Old, New: ch.New,
			Stay: plan.point.stay(ch.Path), Perm: plan.point.perm(ch.Path)})
	}
	return j, nil
}

func (s *ManualCommitStrategy) journalPath() string {
	return filepath.Join(s.localDir(), "rewind.json")
}

// beginJournal writes the journal. After an error no journal is left and the staging folder is
// removed.
func (s *ManualCommitStrategy) beginJournal(j *journal) error {
	err := s.writeJournal(j)
	if err == nil {
		return nil
	}
	return errors.Join(fmt.Errorf("%w; nothing was changed", err), durable.Remove(s.journalPath()), s.clearStage())
}

func (s *ManualCommitStrategy) writeJournal(j *journal) error {
	data, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(s.journalPath(), data, 0o600)
}

// readJournal returns nil when no rewind has begun.
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
	if j.Version > journalVersion {
		return nil, fmt.Errorf("read rewind journal %s: version %d is of a newer program", s.journalPath(), j.Version)
	}
	return &j, nil
}

// closeJournal removes the journal of a rewind that is done or rolled back. The next command clears
// what is left in the staging folder.
func (s *ManualCommitStrategy) closeJournal(j *journal) error {
	s.markDone(j)
	if err := durable.Remove(s.journalPath()); err != nil {
		return fmt.Errorf("close the rewind's journal: %w", err)
	}
	if err := s.clearStage(); err != nil {
		s.Log.Warn("staging folder not removed", "err", err)
	}
	return nil
}

// rewindLock guards the worktree's rewind journal: one rewind at a time.
func (s *ManualCommitStrategy) rewindLock(ctx context.Context) (*durable.Lock, error) {
	return durable.Acquire(ctx, filepath.Join(s.localDir(), "rewind.lock"))
}

// EnsureSetup creates the metadata branch if it does not exist.
func (s *ManualCommitStrategy) EnsureSetup(ctx context.Context) error {
	if _, err := os.Lstat(filepath.Join(s.repo.CommonDir, filepath.FromSlash(checkpoint.MetadataRef))); err == nil {
		return nil
	}
	return checkpoint.EnsureMetadataBranch(ctx, s.repo)
}
