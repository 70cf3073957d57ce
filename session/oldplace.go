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

// moveOld brings what an earlier version kept of a session beside its state to where it
// lies now. It is repeated by whoever locks the session next until nothing is left
// there; a process of that version which is at work is waited for. The caller holds the
// session's lock.
func (s *StateStore) moveOld(ctx context.Context, sid id.SessionID) error {
	old, lock := s.path(sid, oldSideExt), s.path(sid, lockExt)
	if !present(old) && !present(lock) {
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

// moveFiles renames a folder, or its files one by one where the new folder is there: an
// earlier version was at work again. Of two files the later one stays.
func moveFiles(old, dir string) error {
	if !present(dir) {
		err := os.Rename(old, dir)
		if err == nil {
			err = errors.Join(durable.SyncDir(filepath.Dir(dir)), durable.SyncDir(filepath.Dir(old)))
		}
		return absent(err)
	}
	entries, err := os.ReadDir(old)
	if err != nil {
		return absent(err)
	}
	for _, e := range entries {
		from, to := filepath.Join(old, e.Name()), filepath.Join(dir, e.Name())
		if laterThan(to, from) {
			err = os.RemoveAll(from)
		} else {
			err = os.Rename(from, to)
		}
		if err = absent(err); err != nil {
			return err
		}
	}
	if err := durable.SyncDir(dir); err != nil {
		return err
	}
	return absent(os.Remove(old))
}

func laterThan(path, other string) bool {
	a, err := os.Lstat(path)
	if err != nil {
		return false
	}
	b, err := os.Lstat(other)
	return err != nil || a.ModTime().After(b.ModTime())
}

// absent forgives that something is not there.
func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func present(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// movedPath is where a file lies that a state names below the old folder.
func (s *StateStore) movedPath(sid id.SessionID, path string) string {
	if name, below := strings.CutPrefix(path, s.path(sid, oldSideExt)+string(filepath.Separator)); below {
		return filepath.Join(s.Dir(sid), name)
	}
	return path
}
