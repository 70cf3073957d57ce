package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"entire/id"
	"entire/internal/durable"
)

// migrateSideFiles moves the side files that an earlier version kept next to the session's state to
// their present folder. Each call that locks the session repeats this until the old folder is
// gone; it waits for a process of that version that holds the old lock. The caller holds the
// session's lock.
func (s *StateStore) migrateSideFiles(ctx context.Context, sid id.SessionID) error {
	old, lock := s.path(sid, oldSideExt), s.path(sid, lockExt)
	if !pathExists(old) && !pathExists(lock) {
		return nil
	}
	was, err := durable.Acquire(ctx, lock)
	if err != nil {
		return err
	}
	if err := moveFiles(old, s.ownPath(sid)); err != nil {
		return errors.Join(err, was.Release())
	}
	return was.Discard()
}

// moveFiles renames a folder, or moves its files one by one if the new folder exists because an
// earlier version has run again. Of two files with one name it keeps the later.
func moveFiles(old, dir string) error {
	if !pathExists(dir) {
		err := os.Rename(old, dir)
		if err == nil {
			err = errors.Join(durable.SyncDir(filepath.Dir(dir)), durable.SyncDir(filepath.Dir(old)))
		}
		return ignoreNotExist(err)
	}
	entries, err := os.ReadDir(old)
	if err != nil {
		return ignoreNotExist(err)
	}
	for _, e := range entries {
		from, to := filepath.Join(old, e.Name()), filepath.Join(dir, e.Name())
		if isNewer(to, from) {
			err = os.RemoveAll(from)
		} else {
			err = os.Rename(from, to)
		}
		if err = ignoreNotExist(err); err != nil {
			return err
		}
	}
	if err := durable.SyncDir(dir); err != nil {
		return err
	}
	return ignoreNotExist(os.Remove(old))
}

func isNewer(path, other string) bool {
	a, err := os.Lstat(path)
	if err != nil {
		return false
	}
	b, err := os.Lstat(other)
	return err != nil || a.ModTime().After(b.ModTime())
}

// ignoreNotExist returns nil if err only says that a file does not exist.
func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func pathExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// currentPath returns where a file is now that a state names below the old folder.
func (s *StateStore) currentPath(sid id.SessionID, path string) string {
	if name, below := strings.CutPrefix(path, s.path(sid, oldSideExt)+string(filepath.Separator)); below {
		return filepath.Join(s.Dir(sid), name)
	}
	return path
}
