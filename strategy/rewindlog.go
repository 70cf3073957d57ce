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

// RewindKind is what an entry of the log did.
type RewindKind string

// The kinds of entry.
const (
	RewindDone  RewindKind = "rewind"
	RewindUndo  RewindKind = "undo"
	RewindRedo  RewindKind = "redo"
	RewindReset RewindKind = "reset" // of the branch, to a commit

	// RewindDropped is no rewind: work of an agent's that was thrown away in the
	// worktree, and that a commit then let go of. Undone by its ID, it comes back.
	RewindDropped RewindKind = "dropped"
)

// RewindEntry is one rewind in a worktree's log. Its two commits are kept by a
// ref, so that they can be gone back to until the entry's time is over.
type RewindEntry struct {
	ID      string     `json:"id"`
	Seq     int        `json:"seq"`
	At      time.Time  `json:"at"`
	Kind    RewindKind `json:"kind"`
	Scope   Scope      `json:"scope,omitzero"`
	Session string     `json:"session,omitempty"`
	Point   string     `json:"point,omitempty"` // the step or commit gone back to
	Before  string     `json:"before"`          // the step that holds what was there
	After   string     `json:"after"`           // the step, or commit, with what was there then
	Files   int        `json:"files"`           // how many were changed
	Of      string     `json:"of,omitempty"`    // undo and redo: the ID of the rewind

	// Exact: the step before has the very bytes of the files that were replaced,
	// also where git's filters would make others.
	Exact bool `json:"exact,omitempty"`

	// UndoneBy is the entry that undid this one, "" if none did or it was done
	// again since.
	UndoneBy string `json:"undone_by,omitempty"`

	// Beside are paths in which the two commits differ though the rewind did not
	// change them: others were at work.
	Beside []string `json:"beside,omitempty"`

	// Gone: its time was over, and what it replaced is no longer kept.
	Gone bool `json:"gone,omitempty"`

	// Work is, by session, which of its files the rewind changed; nil in entries of
	// before this was noted.
	Work map[string][]string `json:"work,omitzero"`

	// TalkBefore is where the session's conversation stood.
	TalkBefore talkMark `json:"talk_before,omitzero"`
}

// ref is the name of what keeps the entry's commits.
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

// ErrRewindLog is returned when the log of rewinds has a line that cannot be read.
var ErrRewindLog = errors.New("read the log of rewinds")

// readRewindLog reads the log, oldest first. A last line without its end is what
// a power cut left.
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

// badLine is a line of the log that says nothing.
type badLine struct {
	text []byte
	err  error
}

// splitRewindLog tells the entries of the log from what cannot be read of it.
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

// logBytes is the log as it is stored.
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

// logRewind adds an entry, unless it is there: a crash came between that and the
// journal's end. The caller holds the rewind lock.
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

// doneRewind is a rewind, and the entry that has last done or undone it.
type doneRewind struct {
	root, last RewindEntry
}

// history is what can be undone and what done again, the next one last: as in an
// editor, where something new takes away what was undone. It fills in UndoneBy.
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
		case RewindDropped: // takes nothing away
		default:
			undo, redo = append(undo, doneRewind{*e, *e}), nil
		}
	}
	return undo, redo
}
