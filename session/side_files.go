package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"entire/id"
	"entire/internal/durable"
	"entire/session/internal/layout"
)

// Root returns the directory of all states. It need not exist.
func (s *StateStore) Root() string { return s.dir }

// OwnRoot returns the directory of the sessions' locks, `<id>.lock`, and of their side files,
// `<id>/`. It need not exist.
func (s *StateStore) OwnRoot() string { return s.own }

// Dir returns the directory of a session's side files: data that only this program keeps, apart
// from the state, because another program that saves the state drops fields it does not know.
// The directory need not exist. It is the one of an earlier version until the session is
// locked.
func (s *StateStore) Dir(sid id.SessionID) string {
	own := s.ownPath(sid)
	if old := s.path(sid, oldSideExt); !pathExists(own) && pathExists(old) {
		return old
	}
	return own
}

func (s *StateStore) ownPath(sid id.SessionID) string { return filepath.Join(s.own, sid.String()) }

// LoadSide decodes the JSON side file name of a session into v; ErrNotFound if there is none.
func (s *StateStore) LoadSide(sid id.SessionID, name string, v any) error {
	if err := sideName(sid, name); err != nil {
		return fmt.Errorf("read side file of session %s: %w", sid, err)
	}
	data, err := s.readSide(sid, name)
	if err == nil && s.Open != nil {
		data, err = s.Open(data)
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("read %s of session %s: %w", name, sid, err)
	}
	return nil
}

// SaveSide writes v as the JSON side file name of a session, durably, and without spaces,
// because every hook reads it. If the new content depends on the old, the caller holds the
// session's lock.
func (s *StateStore) SaveSide(sid id.SessionID, name string, v any) error {
	if err := sideName(sid, name); err != nil {
		return fmt.Errorf("save side file of session %s: %w", sid, err)
	}
	data, err := json.Marshal(v)
	data = append(data, '\n')
	if err == nil && s.Seal != nil {
		data, err = s.Seal(sid.String(), data)
	}
	if err == nil {
		err = durable.WriteFile(filepath.Join(s.Dir(sid), name), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("save %s of session %s: %w", name, sid, err)
	}
	return nil
}

// readSide also looks in the folder of an earlier version, and then in the present one again,
// because the file may have been moved in between.
func (s *StateStore) readSide(sid id.SessionID, name string) (data []byte, err error) {
	for _, dir := range []string{s.ownPath(sid), s.path(sid, oldSideExt), s.ownPath(sid)} {
		if data, err = layout.ReadRegular(filepath.Join(dir, name)); !errors.Is(err, ErrNotFound) {
			break
		}
	}
	return data, err
}

// sideName refuses names that must not become a path.
func sideName(sid id.SessionID, name string) error {
	if sid.IsZero() {
		return errors.New("no session id")
	}
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\:\x00") {
		return fmt.Errorf("%.40q is not a file name", name)
	}
	return nil
}
