package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// JournalVersion is the version this program writes. It also finishes journals of version 1, which
// have no footprints and keep none of the files they replace.
const JournalVersion = 2

// RewindJournal describes a rewind that has begun. It is written when everything the rewind needs is
// durable, and removed when the rewind is done. The next command that finds one finishes the rewind
// or rolls it back.
type RewindJournal struct {
	Version int                      `json:"version"`
	ID      string                   `json:"id,omitempty"` // names the staging folder
	Session id.SessionID             `json:"session"`
	Point   git.OID                  `json:"point"`  // the step that the rewind goes to
	Safety  git.OID                  `json:"safety"` // the step that holds the worktree from before the rewind
	Before  git.OID                  `json:"before,omitzero"`
	After   git.OID                  `json:"after,omitzero"` // the trees before and after, for git's attributes
	InTree  bool                     `json:"in_tree,omitempty"`
	Changes []JournalChange          `json:"changes"`
	Folders []worktree.RemovedFolder `json:"folders,omitempty"` // folders that the rewind may remove

	Entry        *condense.RewindEntry        `json:"entry,omitempty"` // the entry that the log will get
	Undoes       git.OID                      `json:"undoes,omitzero"` // undo and redo: the step of the rewind that is reversed
	ReturnedWork map[string][]string          `json:"back,omitzero"`   // undo and redo: the Work of the rewind that is reversed
	Conversation *transcript.ConversationMark `json:"talk,omitempty"`  // where the conversation goes, if not to the point's position
	State        git.OID                      `json:"state,omitzero"`  // the step that the session's state follows, if not the point

	Present *worktree.Snapshot `json:"-"` // the worktree before, for a rewind that is carried out at once
}

// JournalChange is one change, in a form that JSON can hold for any path.
type JournalChange struct {
	Path    string  `json:"path"`
	OldMode uint32  `json:"old_mode,omitempty"`
	NewMode uint32  `json:"new_mode,omitempty"`
	Old     git.OID `json:"old,omitzero"`
	New     git.OID `json:"new,omitzero"`

	OldFile         *worktree.Footprint `json:"was,omitempty"`     // of the file that is replaced or removed
	NewFile         *worktree.Footprint `json:"now,omitempty"`     // of the file that is placed
	PlacedOID       git.OID             `json:"raw,omitzero"`      // the blob of the bytes placed; New, unless a filter changes them
	ExactOID        git.OID             `json:"bytes,omitzero"`    // the blob of the bytes to place, if not what the filters write
	ExistingFolders int                 `json:"folders,omitempty"` // how many of the path's parent folders existed

	KeptFolders int         `json:"stay,omitempty"` // how many of the path's parent folders stay, even if empty
	Perm        fs.FileMode `json:"perm,omitempty"` // of a new file, if not the permissions git would give it
}

func (p JournalChange) Text() string { return sessionstate.DecodePath(p.Path) }

// BeginJournal writes the journal. After an error no journal is left and the staging folder is
// removed.
func BeginJournal(s *sessionstate.Env, j *RewindJournal) error {
	err := WriteJournal(s, j)
	if err == nil {
		return nil
	}
	return errors.Join(fmt.Errorf("%w; nothing was changed", err), durable.Remove(condense.JournalPath(s)), ClearStage(s))
}

// WriteJournal stores the journal durably: from here on, the rewind is finished or rolled back.
func WriteJournal(s *sessionstate.Env, j *RewindJournal) error {
	data, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(condense.JournalPath(s), data, 0o600)
}

// ReadJournal returns nil when no rewind has begun.
func ReadJournal(s *sessionstate.Env) (*RewindJournal, error) {
	data, err := durable.ReadOwn(condense.JournalPath(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read rewind journal: %w", err)
	}
	var j RewindJournal
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, fmt.Errorf("read rewind journal %s: %w", condense.JournalPath(s), err)
	}
	if j.Version > JournalVersion {
		return nil, fmt.Errorf("read rewind journal %s: version %d is of a newer program", condense.JournalPath(s), j.Version)
	}
	return &j, nil
}

// CloseJournal removes the journal of a rewind that is done or rolled back. The next command clears
// what is left in the staging folder.
func CloseJournal(s *sessionstate.Env, j *RewindJournal) error {
	markDone(s, j)
	if err := durable.Remove(condense.JournalPath(s)); err != nil {
		return fmt.Errorf("close the rewind's journal: %w", err)
	}
	if err := ClearStage(s); err != nil {
		s.Log.Warn("staging folder not removed", "err", err)
	}
	return nil
}

// EnsureSetup creates the metadata branch if it does not exist.
func EnsureSetup(ctx context.Context, s *sessionstate.Env) error {
	if _, err := os.Lstat(filepath.Join(s.Repo.CommonDir, filepath.FromSlash(shadow.MetadataRef))); err == nil {
		return nil
	}
	return metadata.EnsureMetadataBranch(ctx, s.Repo)
}

// isBefore reports whether fi is what the change expects to find.
func (c JournalChange) isBefore(fi fs.FileInfo) bool {
	return worktree.MatchesFootprint(c.OldMode, c.OldFile, fi)
}

// isAfter reports whether fi is what the change leaves.
func (c JournalChange) isAfter(fi fs.FileInfo) bool {
	return worktree.MatchesFootprint(c.NewMode, c.NewFile, fi)
}
