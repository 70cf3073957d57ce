package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"entire/id"
	"entire/internal/durable"
)

// Root returns the directory of all states. It need not exist.
func (s *StateStore) Root() string { return s.dir }

// Dir returns the directory for what only this program keeps of a session,
// beside its state: another program that saves the state drops fields it does
// not know, and leaves this alone. It need not exist.
func (s *StateStore) Dir(sid id.SessionID) string { return s.path(sid, sideExt) }

// LoadSide decodes the JSON side file name of a session into v; ErrNotFound if
// there is none.
func (s *StateStore) LoadSide(sid id.SessionID, name string, v any) error {
	path, err := s.sidePath(sid, name)
	if err != nil {
		return fmt.Errorf("read side file of session %s: %w", sid, err)
	}
	data, err := readRegular(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("read %s of session %s: %w", name, sid, err)
	}
	return nil
}

// SaveSide writes v as the JSON side file name of a session, durably, and without
// spaces, because every hook reads it. The caller holds the session's lock where the new
// content depends on the old.
func (s *StateStore) SaveSide(sid id.SessionID, name string, v any) error {
	path, err := s.sidePath(sid, name)
	if err != nil {
		return fmt.Errorf("save side file of session %s: %w", sid, err)
	}
	data, err := json.Marshal(v)
	if err == nil {
		err = durable.WriteFile(path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("save %s of session %s: %w", name, sid, err)
	}
	return nil
}

func (s *StateStore) sidePath(sid id.SessionID, name string) (string, error) {
	if sid.IsZero() {
		return "", errors.New("no session id")
	}
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\:\x00") {
		return "", fmt.Errorf("%.40q is not a file name", name)
	}
	return filepath.Join(s.Dir(sid), name), nil
}
