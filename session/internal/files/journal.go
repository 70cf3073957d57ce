package files

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"entire/internal/durable"
	"entire/session/internal/layout"
)

// tempPrefix begins the names of temporary files in the user's folders.
const tempPrefix = ".entire-"

// rewindJournal describes a running rewind. Until Placing is set, the rewind has written only
// temporary files; from then on, the call that finds the journal finishes the rewind.
type rewindJournal struct {
	Version    int          `json:"version"`    // 1
	Checkpoint string       `json:"checkpoint"` // the target of the rewind
	Safety     string       `json:"safety"`     // the checkpoint of what was there before
	Placing    bool         `json:"placing"`
	Back       bool         `json:"back,omitempty"` // the rewind is being undone
	Steps      []rewindStep `json:"steps"`          // in the order of their paths
}

func (w *fileOperation) writeJournal(j *rewindJournal) error {
	return w.writeJSON(w.path(rewindName), j)
}

// readJournal returns nil if no rewind is running.
func (w *fileOperation) readJournal() (*rewindJournal, error) {
	data, err := layout.ReadRegular(w.path(rewindName))
	if errors.Is(err, layout.ErrNotFound) {
		return nil, nil
	}
	var j rewindJournal
	if err == nil {
		err = json.Unmarshal(data, &j)
	}
	if err == nil {
		err = j.check()
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal of an interrupted rewind, %s: %w", w.path(rewindName), err)
	}
	return &j, nil
}

// check validates a journal as readManifest validates a manifest.
func (j *rewindJournal) check() error {
	if j.Version != 1 {
		return fmt.Errorf("version %d", j.Version)
	}
	if err := errors.Join(checkCheckpointID(j.Checkpoint), checkCheckpointID(j.Safety)); err != nil {
		return err
	}
	for i, s := range j.Steps {
		for _, snap := range []*FileSnapshot{&s.Old, &s.New} {
			if snap.Path != s.New.Path {
				return fmt.Errorf("%q and %q in one step", clipped(snap.Path), clipped(s.New.Path))
			}
			if err := checkFilePath(snap.Path); err != nil {
				return err
			}
			if _, err := readSnapshot(*snap, &snap.Exists, ""); err != nil {
				return err
			}
		}
		if s.Temp != "" {
			if err := checkFilePath(s.Temp); err != nil {
				return err
			}
			if !strings.HasPrefix(path.Base(s.Temp), tempPrefix) {
				return fmt.Errorf("%q is no temporary file", clipped(s.Temp))
			}
		}
		if i > 0 && j.Steps[i-1].path() >= s.path() {
			return fmt.Errorf("%q is out of order", clipped(s.path()))
		}
	}
	return nil
}

// endJournal ends a rewind: it removes the temporary files and then the journal.
func (w *fileOperation) endJournal(j *rewindJournal) error {
	w.removeTemps(j)
	if !w.noSync {
		return durable.Remove(w.path(rewindName))
	}
	if err := os.Remove(w.path(rewindName)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (w *fileOperation) removeTemps(j *rewindJournal) {
	for i, s := range j.Steps {
		if s.Temp == "" {
			continue
		}
		if way, err := w.tree.Walk(s.Temp, false); err == nil {
			_ = durable.RemoveFile(way.Dir(), way.Base)
			way.Close()
		}
		j.Steps[i].Temp = ""
	}
}

// tempName returns a random name for a temporary file.
func tempName() (string, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return tempPrefix + hex.EncodeToString(b[:]), nil
}
