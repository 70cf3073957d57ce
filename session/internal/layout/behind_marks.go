package layout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"entire/id"
)

// marksName is the folder of marks: empty files named after the sessions whose metadata.json
// may count fewer messages than the log has. A list does not use the index for marked sessions.
// A mark is made and removed under the session's lock, and remains if a writer is killed.
const marksName = ".behind"

// MarkBehind marks a session to which messages are about to be appended.
func (b *Base) MarkBehind(sid id.SessionID) error {
	path := filepath.Join(b.Path, marksName, sid.String())
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	f, err := OpenFile(path, os.O_WRONLY|os.O_CREATE)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return err
		}
		f, err = OpenFile(path, os.O_WRONLY|os.O_CREATE)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// UnmarkBehind removes the mark of a session whose messages are all counted.
func (b *Base) UnmarkBehind(sid id.SessionID) {
	os.Remove(filepath.Join(b.Path, marksName, sid.String())) // a mark that stays only costs time
}

// MarkedBehind returns the marked sessions.
func (b *Base) MarkedBehind() map[string]bool {
	entries, _ := os.ReadDir(filepath.Join(b.Path, marksName))
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	return names
}
