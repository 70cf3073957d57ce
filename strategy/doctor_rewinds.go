package strategy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/durable"
)

// examineRewindLog finds a log of rewinds that cannot be read, which prevents new rewinds. The
// log's steps have their own refs.
func (s *ManualCommitStrategy) examineRewindLog() []Finding {
	_, err := s.readRewindLog()
	if err == nil {
		return nil
	}
	return []Finding{{Kind: "not-readable", Subject: "log of rewinds", Why: err.Error(),
		Hint: "`git for-each-ref refs/entire/undo` lists the steps it speaks of, for `entire rewind --to`",
		Fix:  "move what cannot be read to " + filepath.Base(s.logAside()), Mend: s.salvageRewindLog}}
}

func (s *ManualCommitStrategy) logAside() string { return s.rewindLogPath() + ".unreadable" }

// salvageRewindLog keeps the entries that can be read and moves the others to another file.
func (s *ManualCommitStrategy) salvageRewindLog(ctx context.Context) (string, error) {
	lock, err := s.rewindLock(ctx)
	if err != nil {
		return "", err
	}
	defer lock.Release()
	data, err := os.ReadFile(s.rewindLogPath())
	if err != nil {
		return "", err
	}
	log, bad := splitRewindLog(data)
	aside, err := os.ReadFile(s.logAside())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, b := range bad {
		aside = append(append(aside, bytes.TrimRight(b.text, "\r\n")...), '\n')
	}
	if err := durable.WriteFile(s.logAside(), aside, 0o600); err != nil {
		return "", err
	}
	kept, err := logBytes(log)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("lines kept: %d; moved to %s: %d", len(log), s.logAside(), len(bad)), durable.WriteFile(s.rewindLogPath(), kept, 0o600)
}
