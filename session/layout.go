package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/id"
)

// Names below the base. They reach disk.
const (
	metadataName   = "metadata.json"
	messagesName   = "messages.jsonl"
	transcriptName = "transcript.jsonl"
	documentName   = "transcript.json" // the transcript of an agent that keeps one document
	sessionLock    = "lock"
	baseName       = "base.json" // lists what a fork shares; see parts
	buildPattern   = ".new-*"    // folders of unfinished sessions
	listName       = "index.cache"
	tornExt        = ".torn.jsonl" // torn lines that killed writers left in a log
	sessionsDir    = "sessions"
)

// A Base is the folder of a store's sessions, and how the store writes to it.
type Base struct {
	base   string // an absolute path; created when something is written
	now    func() time.Time
	noSync bool
}

// Dir returns a session's folder, which need not exist; "" if sessionID is not a session ID.
func (b *Base) Dir(sessionID string) string {
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return ""
	}
	return filepath.Join(b.base, sid.String())
}

// BaseIn returns the directory of the sessions in a project's folder, which
// [entire/internal/project.Identity.Dir] names.
func BaseIn(projectFolder string) string { return filepath.Join(projectFolder, sessionsDir) }

// trash returns the folder of deleted sessions: next to the sessions of a project, and inside
// any other base, which may have neighbours that are not ours.
func (b *Base) trash() string {
	if filepath.Base(b.base) == sessionsDir {
		return filepath.Join(filepath.Dir(b.base), "trash")
	}
	return filepath.Join(b.base, ".trash")
}

// existing returns the ID and the folder of a session; ErrNotFound if it does not exist. It
// refuses a folder that is a link.
func (b *Base) existing(sessionID string) (id.SessionID, string, error) {
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return id.SessionID{}, "", err
	}
	dir := filepath.Join(b.base, sid.String())
	switch ok, err := isSession(dir); {
	case err != nil:
		return id.SessionID{}, "", err
	case !ok:
		return id.SessionID{}, "", fmt.Errorf("%s: %w", sid, ErrNotFound)
	}
	return sid, dir, nil
}

// isSession reports whether dir is the folder of a session: it has metadata, or a log whose
// metadata was lost.
func isSession(dir string) (bool, error) {
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
	for _, name := range []string{metadataName, messagesName, transcriptName, documentName} {
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

// openFile opens a file of a session and refuses a link.
func openFile(path string, flag int) (*os.File, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, flag|noFollow, 0o600)
}
