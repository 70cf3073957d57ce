package session

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
	"strings"

	"entire/id"
	"entire/internal/durable"
)

// Names below the git common directory. They reach disk.
const (
	stateDir   = "entire-sessions"
	ownDir     = "entire"
	indexName  = "sessions.index"
	sideDir    = "sessions"
	stateExt   = ".json"
	lockExt    = ".lock"
	oldSideExt = ".d" // of versions that kept everything in stateDir
	maxStateSz = 64 << 20
)

// ErrNotFound is returned where a session, or a side file of one, does not
// exist; never where it could not be read.
var ErrNotFound = errors.New("session not found")

// StateStore keeps the states of a repository's sessions. Its methods may be
// used from several goroutines and processes; each file is replaced whole. It
// holds no open files.
type StateStore struct {
	dir   string // of the states, which other programs read and write, too
	own   string // of locks and side files
	index string
}

// NewStateStore returns the store of the repository whose git common directory
// is the absolute path commonDir. Nothing is created before something is saved.
func NewStateStore(commonDir string) *StateStore {
	return &StateStore{
		dir:   filepath.Join(commonDir, stateDir),
		own:   filepath.Join(commonDir, ownDir, sideDir),
		index: filepath.Join(commonDir, ownDir, indexName),
	}
}

// Load returns the state of a session, ErrNotFound if it has none.
func (s *StateStore) Load(ctx context.Context, sid id.SessionID) (*State, error) {
	if err := ready(ctx, sid); err != nil {
		return nil, fmt.Errorf("read session %s: %w", sid, err)
	}
	data, err := readRegular(s.path(sid, stateExt))
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", sid, err)
	}
	state := new(State)
	if err := json.Unmarshal(data, state); err != nil {
		return nil, fmt.Errorf("read session %s: %w", sid, err)
	}
	if state.SessionID.IsZero() {
		state.SessionID = sid
	}
	if state.SessionID != sid {
		return nil, fmt.Errorf("read session %s: the file is that of session %s", sid, state.SessionID)
	}
	state.TranscriptPath = s.movedPath(sid, state.TranscriptPath)
	return state, nil
}

// Save writes a state durably, creating it if need be. Where the new state
// depends on the old, the caller holds the session's lock; see Update.
func (s *StateStore) Save(ctx context.Context, state *State) error {
	if err := ready(ctx, state.SessionID); err != nil {
		return fmt.Errorf("save session %s: %w", state.SessionID, err)
	}
	if err := writeJSON(s.path(state.SessionID, stateExt), state); err != nil {
		return fmt.Errorf("save session %s: %w", state.SessionID, err)
	}
	return nil
}

// Lock takes the lock that guards a session's state and side files, waiting for
// it until ctx is done. Whoever holds several took them in ascending order.
func (s *StateStore) Lock(ctx context.Context, sid id.SessionID) (*durable.Lock, error) {
	if err := ready(ctx, sid); err != nil {
		return nil, fmt.Errorf("lock session %s: %w", sid, err)
	}
	l, err := durable.Acquire(ctx, s.ownPath(sid)+lockExt)
	if err == nil {
		if err = s.moveOld(ctx, sid); err != nil {
			err = errors.Join(err, l.Release())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("lock session %s: %w", sid, err)
	}
	return l, nil
}

// Update locks a session, loads its state, lets fn change it and saves it. An
// error of fn is returned as it is and nothing is saved. A session without a
// state is ErrNotFound.
func (s *StateStore) Update(ctx context.Context, sid id.SessionID, fn func(*State) error) error {
	l, err := s.Lock(ctx, sid)
	if err != nil {
		return err
	}
	defer l.Release()
	state, err := s.Load(ctx, sid)
	if err != nil {
		return err
	}
	if err := fn(state); err != nil {
		return err
	}
	if state.SessionID != sid {
		return fmt.Errorf("save session %s: its id was changed to %s", sid, state.SessionID)
	}
	return s.Save(ctx, state)
}

// Remove deletes a session's side files and then its state, so that a Remove
// cut short is still seen and can be repeated. The caller holds the session's
// lock and discards it afterwards. An absent session is fine.
func (s *StateStore) Remove(ctx context.Context, sid id.SessionID) error {
	if err := ready(ctx, sid); err != nil {
		return fmt.Errorf("remove session %s: %w", sid, err)
	}
	if err := errors.Join(os.RemoveAll(s.ownPath(sid)), os.RemoveAll(s.path(sid, oldSideExt))); err != nil {
		return fmt.Errorf("remove session %s: %w", sid, err)
	}
	if err := durable.Remove(s.path(sid, stateExt)); err != nil {
		return fmt.Errorf("remove session %s: %w", sid, err)
	}
	return nil
}

// ListProblem is a file in the state directory that is no usable state.
type ListProblem struct {
	Name string // of the file
	Err  error
}

// List returns all states in ascending order of ID, and what was found among
// them that could not be read. Listing changes nothing. A file whose name is
// not that of a session is reported unopened; names other than *.json belong to
// somebody else and are passed over.
func (s *StateStore) List(ctx context.Context) ([]*State, []ListProblem, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("list sessions: %w", err)
	}
	var states []*State
	var problems []ListProblem
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), stateExt)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("list sessions: %w", err)
		}
		state, err := s.loadNamed(ctx, stem)
		switch {
		case errors.Is(err, ErrNotFound): // removed since
		case err != nil:
			problems = append(problems, ListProblem{e.Name(), err})
		default:
			states = append(states, state)
		}
	}
	slices.SortFunc(states, func(a, b *State) int {
		return strings.Compare(a.SessionID.String(), b.SessionID.String())
	})
	return states, problems, nil
}

func (s *StateStore) loadNamed(ctx context.Context, stem string) (*State, error) {
	sid, err := id.ParseSessionID(stem)
	if err != nil {
		return nil, err
	}
	return s.Load(ctx, sid)
}

func (s *StateStore) path(sid id.SessionID, ext string) string {
	return filepath.Join(s.dir, sid.String()+ext)
}

// ready refuses what must not reach the disk.
func ready(ctx context.Context, sid id.SessionID) error {
	if sid.IsZero() {
		return errors.New("no session id")
	}
	return ctx.Err()
}

// readRegular reads a file of a sane size that is not a link, a pipe or a
// device; ErrNotFound if there is none.
func readRegular(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if info.Size() > maxStateSz {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", path, info.Size(), maxStateSz)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	return data, err
}

// writeJSON writes v as all JSON of ours is written but side files: two spaces, HTML
// escaped, a newline at the end.
func writeJSON(path string, v any) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	return durable.WriteFile(path, out.Bytes(), 0o600)
}
