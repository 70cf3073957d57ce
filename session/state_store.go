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
	"sync/atomic"
	"time"

	"entire/id"
	"entire/internal/durable"
	"entire/session/internal/layout"
)

// Names below the git common directory. They reach disk.

const stateDir = "entire-sessions"

const ownDir = "entire"

const indexName = "sessions.index"

const recentName = "sessions.recent"

const sideDir = "sessions"

const lockExt = ".lock"

const oldSideExt = ".d" // of earlier versions, which kept everything in stateDir

// StateStore keeps the states of a repository's sessions. Several goroutines and processes may
// use its methods; each file is replaced as a whole. It holds no open files.
type StateStore struct {
	dir   string // the folder of the states, which other programs read and write, too
	own   string // the folder of locks and side files
	index string

	// Seal and Open, if set, encrypt side files on their way to the disk and back; they hold what was said.
	Seal func(sid string, data []byte) ([]byte, error)
	Open func(data []byte) ([]byte, error)

	// Copy, if set, returns a session's state as it was last saved, nil if that is not known. It counts where the state
	// file is damaged.
	Copy func(sid id.SessionID) *State

	now    func() time.Time // nil: no listing is kept
	within time.Duration
	recent atomic.Pointer[listing]
}

// NewStateStore returns the store of the repository whose git common directory is the absolute
// path commonDir. It creates nothing before something is saved.
func NewStateStore(commonDir string) *StateStore {
	return &StateStore{
		dir:   filepath.Join(commonDir, stateDir),
		own:   filepath.Join(commonDir, ownDir, sideDir),
		index: filepath.Join(commonDir, ownDir, indexName),
	}
}

// KeepListings lets Summaries answer with a listing that this or another process made at most that long ago, if the
// states are many and none was made, replaced or removed since: the folder's time shows that. A state that a program
// has changed in place meanwhile, without our locks, counts as it was before. now is the clock. Summaries then also
// removes what killed writers left in the folder at least an hour ago.
func (s *StateStore) KeepListings(now func() time.Time, within time.Duration) {
	s.now, s.within = now, within
}

// Folders returns the folders that have the states and their side files.
func (s *StateStore) Folders() []string { return []string{s.dir, s.own} }

// ErrDamagedState is wrapped in the error of a session's state file that is not JSON.
var ErrDamagedState = errors.New("its state file is damaged")

// Load returns the state of a session, ErrNotFound if it has none. Of a damaged file it returns the copy, if there is
// one; see [State.FromCopy].
func (s *StateStore) Load(ctx context.Context, sid id.SessionID) (*State, error) {
	state, err := s.loadFile(ctx, sid)
	if c := s.copyAfter(sid, err); c != nil {
		return c, nil
	}
	return state, err
}

// copyAfter returns the copy of a state whose file is damaged, nil if err says something else or there is none.
func (s *StateStore) copyAfter(sid id.SessionID, err error) *State {
	if s.Copy == nil || !errors.Is(err, ErrDamagedState) {
		return nil
	}
	c := s.Copy(sid)
	if c == nil || c.SessionID != sid {
		return nil
	}
	c.fromCopy, c.TranscriptPath = true, s.currentPath(sid, c.TranscriptPath)
	return c
}

func (s *StateStore) loadFile(ctx context.Context, sid id.SessionID) (*State, error) {
	if err := checkSave(ctx, sid); err != nil {
		return nil, fmt.Errorf("read session %s: %w", sid, err)
	}
	data, err := layout.ReadRegular(s.path(sid, layout.StateExt))
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", sid, err)
	}
	state := new(State)
	if err := json.Unmarshal(data, state); err != nil {
		return nil, fmt.Errorf("read session %s: %w: %w", sid, ErrDamagedState, err)
	}
	if state.SessionID.IsZero() {
		state.SessionID = sid
	}
	if state.SessionID != sid {
		return nil, fmt.Errorf("read session %s: the file is that of session %s", sid, state.SessionID)
	}
	state.TranscriptPath = s.currentPath(sid, state.TranscriptPath)
	return state, nil
}

// Save writes a state durably, and creates it if it does not exist. If the new state depends on
// the old, the caller holds the session's lock; see Update.
func (s *StateStore) Save(ctx context.Context, state *State) error {
	return s.save(ctx, state.SessionID, state)
}

// SaveEncoded is Save for a state that is encoded already.
func (s *StateStore) SaveEncoded(ctx context.Context, sid id.SessionID, state json.RawMessage) error {
	return s.save(ctx, sid, state)
}

func (s *StateStore) save(ctx context.Context, sid id.SessionID, state any) error {
	if err := checkSave(ctx, sid); err != nil {
		return fmt.Errorf("save session %s: %w", sid, err)
	}
	if err := layout.WriteListed(s.path(sid, layout.StateExt), state); err != nil {
		return fmt.Errorf("save session %s: %w", sid, err)
	}
	return nil
}

// Lock takes the lock that guards a session's state and side files; it waits until ctx is done.
// A caller that holds several locks has taken them in ascending order.
func (s *StateStore) Lock(ctx context.Context, sid id.SessionID) (*durable.Lock, error) {
	if err := checkSave(ctx, sid); err != nil {
		return nil, fmt.Errorf("lock session %s: %w", sid, err)
	}
	l, err := durable.Acquire(ctx, s.ownPath(sid)+lockExt)
	if err == nil {
		if err = s.migrateSideFiles(ctx, sid); err != nil {
			err = errors.Join(err, l.Release())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("lock session %s: %w", sid, err)
	}
	return l, nil
}

// Update locks a session, loads its state, lets fn change it, and saves it. It returns an error
// of fn unchanged and saves nothing. A session without a state is ErrNotFound.
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

// Remove deletes a session's side files and then its state, so that an interrupted Remove can
// be noticed and repeated. The caller holds the session's lock and discards it afterwards.
// Removing a session that does not exist is no error.
func (s *StateStore) Remove(ctx context.Context, sid id.SessionID) error {
	if err := checkSave(ctx, sid); err != nil {
		return fmt.Errorf("remove session %s: %w", sid, err)
	}
	if err := errors.Join(os.RemoveAll(s.ownPath(sid)), os.RemoveAll(s.path(sid, oldSideExt))); err != nil {
		return fmt.Errorf("remove session %s: %w", sid, err)
	}
	if err := durable.Remove(s.path(sid, layout.StateExt)); err != nil {
		return fmt.Errorf("remove session %s: %w", sid, err)
	}
	return nil
}

// ListProblem reports a file in the state directory that is not a usable state.
type ListProblem struct {
	Name string // name of the file
	Err  error
}

// List returns all states in ascending order of ID, those of damaged files from their copies, and the files among
// them that could not be read. It changes nothing. It does not open a file whose name is not a session ID, but reports
// it; it skips names other than *.json, which belong to other programs.
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
		stem, ok := strings.CutSuffix(e.Name(), layout.StateExt)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("list sessions: %w", err)
		}
		state, err := s.loadNamed(ctx, stem)
		switch {
		case errors.Is(err, ErrNotFound): // removed during the listing
		case err != nil:
			problems = append(problems, ListProblem{e.Name(), err})
			if state != nil { // its copy
				states = append(states, state)
			}
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
	state, err := s.loadFile(ctx, sid)
	if err != nil {
		state = s.copyAfter(sid, err)
	}
	return state, err
}

// SetAside moves a session's damaged file, the state or, if name is not "", that side file, to the folder `unreadable`
// beside those of the states, and returns its path there. With stays it copies the file's bytes instead, because the
// next Save replaces the file. The caller holds the session's lock.
func (s *StateStore) SetAside(sid id.SessionID, name string, stays bool) (aside string, err error) {
	file, base := s.path(sid, layout.StateExt), sid.String()+layout.StateExt
	if name != "" {
		file, base = filepath.Join(s.Dir(sid), name), sid.String()+"."+name
	}
	base = filepath.Join(filepath.Dir(s.own), "unreadable", base)
	aside = base
	for n := 1; pathExists(aside); n++ {
		aside = fmt.Sprintf("%s.%d", base, n)
	}
	if stays {
		err = copyRegular(file, aside)
	} else if err = os.MkdirAll(filepath.Dir(aside), 0o750); err == nil {
		err = os.Rename(file, aside) // it may be a pipe, or a folder
	}
	if err != nil {
		return "", fmt.Errorf("set a damaged file of session %s aside: %w", sid, err)
	}
	return aside, durable.SyncDir(filepath.Dir(aside))
}

func copyRegular(from, to string) error {
	data, err := layout.ReadRegular(from)
	if err != nil {
		return err
	}
	return durable.WriteNew(to, bytes.NewReader(data), 0o600)
}

func (s *StateStore) path(sid id.SessionID, ext string) string {
	return filepath.Join(s.dir, sid.String()+ext)
}

// checkSave refuses a zero session ID and a context that is done.
func checkSave(ctx context.Context, sid id.SessionID) error {
	if sid.IsZero() {
		return errors.New("no session id")
	}
	return ctx.Err()
}
