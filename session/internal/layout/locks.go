package layout

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/id"
	"entire/internal/durable"
)

// lockWait bounds how long a write waits for a session's lock before the writer puts it off.
const lockWait = 10 * time.Second

// lockTries bounds how often Lock begins again because a session was deleted and restored meanwhile.
const lockTries = 10

// Lock takes the lock of a session that exists. It guards the files of the session's folder:
// the ends of the logs, and metadata.json. No caller holds the locks of two sessions; a caller
// that also needs the lock of the session's files (files.lock) takes that one second.
func (b *Base) Lock(sessionID string) (sid id.SessionID, dir string, l *durable.Lock, err error) {
	for tries := 1; ; tries++ {
		if sid, dir, err = b.Existing(sessionID); err != nil {
			return sid, "", nil, err
		}
		l, err = durable.AcquireWithin(filepath.Join(dir, SessionLock), lockWait)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return sid, "", nil, err
		}
		// While lock waited, another process may have deleted the session.
		if _, _, gone := b.Existing(sessionID); gone != nil {
			if l != nil && errors.Is(gone, ErrNotFound) { // the lock file made the folder again
				l.Discard()
				os.Remove(dir)
			}
			l.Release()
			return sid, "", nil, gone
		}
		if l.Current() || tries == lockTries {
			return sid, dir, l, err
		}
		l.Release() // the session was deleted and restored meanwhile: this lock's file is gone
	}
}

// FilesLockName is the lock of a session's file checkpoints.
const FilesLockName = "files.lock"

// LockAll takes the session's lock and that of its files. release frees both.
func (b *Base) LockAll(ctx context.Context, sessionID string) (sid id.SessionID, dir string, release func(), err error) {
	sid, dir, l, err := b.Lock(sessionID)
	if err != nil {
		return sid, "", nil, err
	}
	files, err := lockFiles(ctx, dir)
	if err != nil {
		l.Release()
		return sid, "", nil, err
	}
	return sid, dir, func() { files.Release(); l.Release() }, nil
}

// lockFiles takes the lock of the files of the session in dir. The caller holds the session's
// lock. The result is nil if the session has no kept files.
func lockFiles(ctx context.Context, dir string) (*durable.Lock, error) {
	if _, err := os.Lstat(filepath.Join(dir, FilesLockName)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return durable.Acquire(ctx, filepath.Join(dir, FilesLockName))
}
