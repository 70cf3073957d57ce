package layout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"entire/id"
)

// IsLog reports whether name is that of a file that is read as a log.
func IsLog(name string) bool {
	return name == MessagesName || name == TranscriptName || strings.HasPrefix(name, "base-") && strings.HasSuffix(name, ".jsonl")
}

// Names below the base. They reach disk.
const (
	MetadataName   = "metadata.json"
	MessagesName   = "messages.jsonl"
	TranscriptName = "transcript.jsonl"
	DocumentName   = "transcript.json" // the transcript of an agent that keeps one document
	SessionLock    = "lock"
	BaseName       = "base.json" // lists what a fork shares; see package log
	BuildPattern   = ".new-*"    // folders of unfinished sessions
	ListName       = "index.cache"
	TornExt        = ".torn.jsonl" // torn lines that killed writers left in a log
	sessionsDir    = "sessions"
)

// A Base is the folder of a store's sessions, and how the store writes to it.
type Base struct {
	Path   string // an absolute path; created when something is written
	Now    func() time.Time
	NoSync bool
}

// Dir returns a session's folder, which need not exist; "" if sessionID is not a session ID.
func (b *Base) Dir(sessionID string) string {
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return ""
	}
	return filepath.Join(b.Path, sid.String())
}

// BaseIn returns the directory of the sessions in a project's folder, which
// [entire/internal/project.Identity.Dir] names.
func BaseIn(projectFolder string) string { return filepath.Join(projectFolder, sessionsDir) }

// Trash returns the folder of deleted sessions: next to the sessions of a project, and inside
// any other base, which may have neighbours that are not ours.
func (b *Base) Trash() string {
	if filepath.Base(b.Path) == sessionsDir {
		return filepath.Join(filepath.Dir(b.Path), "trash")
	}
	return filepath.Join(b.Path, ".trash")
}

// Existing returns the ID and the folder of a session; ErrNotFound if it does not exist. It
// refuses a folder that is a link.
func (b *Base) Existing(sessionID string) (id.SessionID, string, error) {
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return id.SessionID{}, "", err
	}
	dir := filepath.Join(b.Path, sid.String())
	switch ok, err := IsSession(dir); {
	case err != nil:
		return id.SessionID{}, "", err
	case !ok:
		return id.SessionID{}, "", fmt.Errorf("%s: %w", sid, ErrNotFound)
	}
	return sid, dir, nil
}

// IsSession reports whether dir is the folder of a session: it has metadata, or a log whose
// metadata was lost.
func IsSession(dir string) (bool, error) {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !info.IsDir() {
		return false, fmt.Errorf("%s is not a folder", dir)
	}
	for _, name := range []string{MetadataName, MessagesName, TranscriptName, DocumentName} {
		_, err := os.Lstat(filepath.Join(dir, name))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, nil
}

// OpenFile opens a file of a session and refuses a link.
func OpenFile(path string, flag int) (*os.File, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, flag|noFollow, 0o600)
}

// WithoutContext is the context of the documented methods that take none.
func WithoutContext() context.Context { return context.Background() }

// ParseTrashed parses the name of a folder in the trash.
func ParseTrashed(name string) (id.SessionID, time.Time, bool) {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return id.SessionID{}, time.Time{}, false
	}
	sid, err := id.ParseSessionID(name[:dot])
	if err != nil {
		return id.SessionID{}, time.Time{}, false
	}
	at, err := strconv.ParseInt(name[dot+1:], 10, 64)
	return sid, time.Unix(0, at).UTC(), err == nil
}
