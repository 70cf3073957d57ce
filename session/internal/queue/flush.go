package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/durable"
	"entire/session/internal/layout"
)

// flush updates the metadata and, with sync, makes the written files durable.
func (w *writer) flush(sync bool) error {
	errs := []error{w.updateAllMetadata(sync)}
	if !sync {
		return errs[0]
	}
	for sid := range w.unsynced {
		err := SyncSession(w.Dir(sid.String()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("sync session %s: %w", sid, err))
			continue
		}
		delete(w.unsynced, sid)
	}
	return errors.Join(errs...)
}

// SyncSession makes a session's files and their names durable.
func SyncSession(dir string) error {
	for _, name := range []string{layout.MessagesName, layout.TranscriptName, layout.MetadataName} {
		f, err := layout.OpenFile(filepath.Join(dir, name), os.O_RDWR)
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
