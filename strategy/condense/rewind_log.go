package condense

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"entire/checkpoint/shadow"
	"entire/internal/durable"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// RewindLock guards the worktree's rewind journal: one rewind at a time. A rewind locks sessions
// under it.
func RewindLock(ctx context.Context, s *sessionstate.Env) (*durable.Lock, error) {
	return durable.Acquire(ctx, filepath.Join(s.LocalDir(), "rewind.lock"))
}

// LockRewindLog locks the log and the numbers of its entries. It is held for moments, and nobody who
// holds it waits for another lock, so a commit may take it under session locks while a rewind runs.
func LockRewindLog(ctx context.Context, s *sessionstate.Env) (*durable.Lock, error) {
	return durable.Acquire(ctx, RewindLogPath(s)+".lock")
}

// NumberEntry gives e the next number and calls keep, which must store the number where others look
// for it: in the journal, in a ref or in the log.
func NumberEntry(ctx context.Context, s *sessionstate.Env, e *RewindEntry, keep func() error) error {
	lock, err := LockRewindLog(ctx, s)
	if err != nil {
		return err
	}
	defer lock.Release()
	log, err := ReadRewindLog(s)
	if err != nil {
		return err
	}
	if e.Seq, err = nextSeq(ctx, s, log); err != nil {
		return err
	}
	return keep()
}

// nextSeq returns a number that neither the log nor a ref nor the rewind under way has.
func nextSeq(ctx context.Context, s *sessionstate.Env, log []RewindEntry) (int, error) {
	n := 1 + journalSeq(s)
	for _, e := range log {
		n = max(n, e.Seq+1)
	}
	for ; ; n++ {
		if _, taken, err := s.Repo.Reader(ctx).CommitOf(UndoRef(s, n)); err != nil || !taken {
			return n, err
		}
	}
}

// JournalPath returns the path of the journal of the rewind under way, which strategy/restore writes.
func JournalPath(s *sessionstate.Env) string { return filepath.Join(s.LocalDir(), "rewind.json") }

// journalSeq returns the number of the rewind under way, 0 for none. A journal that cannot be read
// has no number: doctor moves it aside.
func journalSeq(s *sessionstate.Env) int {
	var j struct {
		Entry RewindEntry `json:"entry"`
	}
	if data, err := durable.ReadOwn(JournalPath(s)); err != nil || json.Unmarshal(data, &j) != nil {
		return 0
	}
	return j.Entry.Seq
}

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
	ID       string     `json:"id"`
	Seq      int        `json:"seq"`
	At       time.Time  `json:"at"`
	Kind     RewindKind `json:"kind"`
	Scope    Scope      `json:"scope,omitzero"`
	Session  string     `json:"session,omitempty"`
	Point    string     `json:"point,omitempty"` // the step or commit that the rewind went to
	Before   string     `json:"before"`          // the step that holds the worktree from before
	After    string     `json:"after"`           // the step or commit that holds the worktree from after
	Files    int        `json:"files"`           // how many files were changed
	RewindID string     `json:"of,omitempty"`    // undo and redo: the ID of the reversed rewind

	// Exact states that the step before has the exact bytes of the replaced files, even where git's
	// filters would write others.
	Exact bool `json:"exact,omitempty"`

	// UndoneBy is the ID of the entry that undid this one, "" if none did or if a redo followed.
	UndoneBy string `json:"undone_by,omitempty"`

	// Concurrent are paths that differ between the two commits although the rewind did not change them:
	// others changed them meanwhile.
	Concurrent []string `json:"beside,omitempty"`

	// Gone states that the entry expired and the replaced files are no longer kept.
	Gone bool `json:"gone,omitempty"`

	// Work lists, by session, which of its files the rewind changed; nil in entries of older
	// versions.
	Work map[string][]string `json:"work,omitzero"`

	// ConversationBefore is the position of the session's conversation before the rewind.
	ConversationBefore transcript.ConversationMark `json:"talk_before,omitzero"`
}

// UndoRef returns the ref that keeps an entry's commits.
func UndoRef(s *sessionstate.Env, seq int) string {
	return fmt.Sprintf("refs/entire/undo/%s/%06d", shadow.HashWorktreeID(s.Repo.WorktreeID), seq)
}

// RewindLogPath returns the worktree's log of rewinds.
func RewindLogPath(s *sessionstate.Env) string {
	return filepath.Join(s.LocalDir(), "rewinds.jsonl")
}

// ErrRewindLog is returned when the rewind log has a line that cannot be read.
var ErrRewindLog = errors.New("read the log of rewinds")

// ReadRewindLog reads the log, oldest first. It ignores an incomplete last line, which a power cut
// leaves.
func ReadRewindLog(s *sessionstate.Env) ([]RewindEntry, error) {
	data, err := durable.ReadOwn(RewindLogPath(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the log of rewinds: %w", err)
	}
	log, err := parseRewindLog(data)
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrRewindLog, RewindLogPath(s), err)
	}
	return log, nil
}

func parseRewindLog(data []byte) ([]RewindEntry, error) {
	log, bad := SplitRewindLog(data)
	if len(bad) > 0 {
		return nil, bad[0].err
	}
	return log, nil
}

// badLine is a line of the log that cannot be read.
type badLine struct {
	Text []byte
	err  error
}

// SplitRewindLog separates the entries of the log from the lines that cannot be read.
func SplitRewindLog(data []byte) (log []RewindEntry, bad []badLine) {
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

// EncodeRewindLog encodes the log as it is stored.
func EncodeRewindLog(log []RewindEntry) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for _, e := range log {
		if err := enc.Encode(e); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// AppendRewindEntry adds an entry unless the log has it already, as after a crash before the journal was
// closed.
func AppendRewindEntry(ctx context.Context, s *sessionstate.Env, e RewindEntry) error {
	lock, err := LockRewindLog(ctx, s)
	if err != nil {
		return err
	}
	defer lock.Release()
	return appendRewindEntry(s, e)
}

func appendRewindEntry(s *sessionstate.Env, e RewindEntry) error {
	log, err := ReadRewindLog(s)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(log, func(had RewindEntry) bool { return had.ID == e.ID }) {
		return nil
	}
	data, err := EncodeRewindLog(append(log, e))
	if err != nil {
		return err
	}
	return durable.WriteFile(RewindLogPath(s), data, 0o600)
}

// ScopeKind says whose work a rewind undoes.
type ScopeKind string

// The kinds of scope.
const (
	ScopeAuto    ScopeKind = "" // ScopeTree, but later changes of other sessions with an open turn are kept
	ScopeTree    ScopeKind = "tree"
	ScopeSession ScopeKind = "session"
	ScopeTurn    ScopeKind = "turn"
	ScopeFiles   ScopeKind = "files" // a person chose contents for files; no session is rewound
)

// ConflictMode says what happens to a file in which a later change that is kept and the change
// that is undone touch the same lines.
type ConflictMode string

// Scope says which part of the worktree and the conversation a rewind takes back.
type Scope struct {
	Kind             ScopeKind    `json:"kind,omitempty"`
	Session          string       `json:"session,omitempty"`   // ScopeSession and ScopeTurn; "" is the session of the point, or the newest
	Turn             int          `json:"turn,omitempty"`      // ScopeTurn: the session's turn, from 1; 0 and -1 are the last that changed files
	KeepMine         bool         `json:"keep_mine,omitempty"` // keep later changes made by people
	KeepSessions     []string     `json:"apart,omitempty"`     // ScopeTree: sessions with an open turn, whose later changes are kept
	Paths            []string     `json:"paths,omitempty"`     // files and folders, relative to the top, with slashes; none means all
	SkipCode         bool         `json:"skip_code,omitempty"` // rewind only the conversation
	SkipConversation bool         `json:"skip_talk,omitempty"` // rewind only the files
	Hunks            bool         `json:"hunks,omitempty"`     // only some hunks of the files, which somebody chose
	Conflicts        ConflictMode `json:"conflicts,omitempty"`
}
