package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"entire/id"
)

// marksName is the folder of empty files named after the sessions of which
// metadata.json may count less than there is: a list does not believe the index
// there. They are made and removed under the session's lock, and outlive a
// writer that is killed.
const marksName = ".behind"

// mark says that messages are about to be appended.
func (s *Store) mark(sid id.SessionID) error {
	path := filepath.Join(s.base, marksName, sid.String())
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	f, err := openFile(path, os.O_WRONLY|os.O_CREATE)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return err
		}
		f, err = openFile(path, os.O_WRONLY|os.O_CREATE)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// unmark says that everything is counted.
func (s *Store) unmark(sid id.SessionID) {
	os.Remove(filepath.Join(s.base, marksName, sid.String())) // one too many only costs time
}

// marked returns the sessions that are marked.
func (s *Store) marked() map[string]bool {
	entries, _ := os.ReadDir(filepath.Join(s.base, marksName))
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	return names
}
