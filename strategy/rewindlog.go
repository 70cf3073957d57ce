package strategy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire/checkpoint"
	"entire/internal/durable"
)

// RewindKind is the kind of a log entry.
type RewindKind string

// The kinds of entries.
const (
	RewindDone  RewindKind = "rewind"
	RewindUndo  RewindKind = "undo"
	RewindRedo  RewindKind = "redo"
	RewindReset RewindKind = "reset" // a reset of the branch to a commit

	// RewindDropped is not a rewind: it is discarded work of an agent that a commit then left out.
	// Undoing this entry by its ID restores the work.
	RewindDropped RewindKind = "dropped"
)

// RewindEntry is one rewind in a worktree's log. A ref keeps its two commits, so that an undo is
// possible until the entry expires.
type RewindEntry struct {
	ID      string     `json:"id"`
	Seq     int        `json:"seq"`
	At      time.Time  `json:"at"`
	Kind    RewindKind `json:"kind"`
	Scope   Scope      `json:"scope,omitzero"`
	Session string     `json:"session,omitempty"`
	Point   string     `json:"point,omitempty"` // the step or commit that the rewind went to
	Before  string     `json:"before"`          // the step that holds the worktree from before
	After   string     `json:"after"`           // the step or commit that holds the worktree from after
	Files   int        `json:"files"`           // how many files were changed
	Of      string     `json:"of,omitempty"`    // undo and redo: the ID of the reversed rewind

	// Exact states that the step before has the exact bytes of the replaced files, even where git's
	// filters would write others.
	Exact bool `json:"exact,omitempty"`

	// UndoneBy is the ID of the entry that undid this one, "" if none did or if a redo followed.
	UndoneBy string `json:"undone_by,omitempty"`

	// Beside are paths that differ between the two commits although the rewind did not change them:
	// others changed them meanwhile.
	Beside []string `json:"beside,omitempty"`

	// Gone states that the entry expired and the replaced files are no longer kept.
	Gone bool `json:"gone,omitempty"`

	// Work lists, by session, which of its files the rewind changed; nil in entries of older
	// versions.
	Work map[string][]string `json:"work,omitzero"`

	// TalkBefore is the position of the session's conversation before the rewind.
	TalkBefore talkMark `json:"talk_before,omitzero"`
}

// undoRef returns the ref that keeps an entry's commits.
func (s *ManualCommitStrategy) undoRef(seq int) string {
	return fmt.Sprintf("refs/entire/undo/%s/%06d", checkpoint.HashWorktreeID(s.repo.WorktreeID), seq)
}

func (s *ManualCommitStrategy) rewindLogPath() string {
	return filepath.Join(s.localDir(), "rewinds.jsonl")
}

// RewindLog lists this worktree's rewinds, newest first.
func (s *ManualCommitStrategy) RewindLog(ctx context.Context) ([]RewindEntry, error) {
	log, err := s.readRewindLog()
	if err != nil {
		return nil, err
	}
	for i := range log {
		_, kept, err := s.repo.Reader(ctx).CommitOf(s.undoRef(log[i].Seq))
		if err != nil {
			return nil, err
		}
		log[i].Gone = !kept
	}
	history(log)
	slices.Reverse(log)
	return log, nil
}

// ErrRewindLog is returned when the rewind log has a line that cannot be read.
var ErrRewindLog = errors.New("read the log of rewinds")

// readRewindLog reads the log, oldest first. It ignores an incomplete last line, which a power cut
// leaves.
func (s *ManualCommitStrategy) readRewindLog() ([]RewindEntry, error) {
	data, err := os.ReadFile(s.rewindLogPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the log of rewinds: %w", err)
	}
	log, err := parseRewindLog(data)
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrRewindLog, s.rewindLogPath(), err)
	}
	return log, nil
}

func parseRewindLog(data []byte) ([]RewindEntry, error) {
	log, bad := splitRewindLog(data)
	if len(bad) > 0 {
		return nil, bad[0].err
	}
	return log, nil
}

// badLine is a line of the log that cannot be read.
type badLine struct {
	text []byte
	err  error
}

// splitRewindLog separates the entries of the log from the lines that cannot be read.
func splitRewindLog(data []byte) (log []RewindEntry, bad []badLine) {
	for n := 1; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte{'\n'})
		data = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e RewindEntry
		err := json.Unmarshal(line, &e)
		switch {
		case err == nil && e.ID != "":
			log = append(log, e)
		case err == nil:
			bad = append(bad, badLine{line, fmt.Errorf("line %d: it has no ID", n)})
		case whole:
			bad = append(bad, badLine{line, fmt.Errorf("line %d: %w", n, err)})
		}
	}
	return log, bad
}

// logBytes encodes the log as it is stored.
func logBytes(log []RewindEntry) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for _, e := range log {
		if err := enc.Encode(e); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// logRewind adds an entry unless the log has it already, as after a crash before the journal was
// closed. The caller holds the rewind lock.
func (s *ManualCommitStrategy) logRewind(e RewindEntry) error {
	log, err := s.readRewindLog()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(log, func(had RewindEntry) bool { return had.ID == e.ID }) {
		return nil
	}
	data, err := logBytes(append(log, e))
	if err != nil {
		return err
	}
	return durable.WriteFile(s.rewindLogPath(), data, 0o600)
}

// doneRewind is a rewind, and the last entry that did, undid or redid it.
type doneRewind struct {
	root, last RewindEntry
}

// history returns which rewinds can be undone and which redone, the next one last. As in an editor,
// a new rewind clears those that can be redone. history also sets UndoneBy.
func history(log []RewindEntry) (undo, redo []doneRewind) {
	at := map[string]int{}
	for i := range log {
		e := &log[i]
		at[e.ID] = i
		e.UndoneBy = ""
		root, known := at[e.Of]
		switch e.Kind {
		case RewindUndo, RewindRedo:
			if !known {
				continue
			}
			from, to := &undo, &redo
			if e.Kind == RewindRedo {
				from, to = to, from
			}
			log[root].UndoneBy = ""
			if e.Kind == RewindUndo {
				log[root].UndoneBy = e.ID
			}
			*from = slices.DeleteFunc(*from, func(d doneRewind) bool { return d.root.ID == e.Of })
			*to = append(*to, doneRewind{log[root], *e})
		case RewindDropped: // a dropped entry clears nothing
		default:
			undo, redo = append(undo, doneRewind{*e, *e}), nil
		}
	}
	return undo, redo
}
