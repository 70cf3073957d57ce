package layout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"entire/id"
	"entire/internal/durable"
)

// Build makes the folder of a new session: fill writes the files into a temporary folder, and a
// rename makes it appear complete. It returns ErrExists if the session exists.
func (b *Base) Build(sid id.SessionID, fill func(dir string) error) error {
	target := filepath.Join(b.Path, sid.String())
	switch exists, err := IsSession(target); {
	case err != nil:
		return err
	case exists:
		return ErrExists
	}
	if err := os.MkdirAll(b.Path, 0o750); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(b.Path, BuildPattern)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // no effect after the rename
	if err := os.Chmod(dir, 0o750); err != nil {
		return err
	}
	if err := fill(dir); err != nil {
		return err
	}
	return b.Appear(dir, target)
}

// Appear moves a folder to the place of a session's folder. It first removes the empty folder
// that a failed attempt may have left there.
func (b *Base) Appear(dir, target string) error {
	err := os.Rename(dir, target)
	if err != nil {
		if exists, serr := IsSession(target); serr == nil && exists {
			return ErrExists
		}
		os.Remove(filepath.Join(target, SessionLock))
		if rerr := os.Remove(target); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			return err
		}
		err = os.Rename(dir, target)
	}
	if err != nil || b.NoSync {
		return err
	}
	return durable.SyncDir(b.Path)
}
