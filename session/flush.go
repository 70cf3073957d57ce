package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/durable"
)

// flush updates the metadata and, with sync, makes the written files durable.
func (w *writer) flush(sync bool) error {
	errs := []error{w.keepUp(sync)}
	if !sync {
		return errs[0]
	}
	for sid := range w.unsynced {
		err := syncSession(w.Dir(sid.String()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("sync session %s: %w", sid, err))
			continue
		}
		delete(w.unsynced, sid)
	}
	return errors.Join(errs...)
}

// syncSession makes a session's files and their names durable.
func syncSession(dir string) error {
	for _, name := range []string{messagesName, transcriptName, metadataName} {
		f, err := openFile(filepath.Join(dir, name), os.O_RDWR)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = f.Sync()
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return durable.SyncDir(dir)
}
