package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/internal/durable"
)

// Names in a session's folder. They reach disk.
const (
	manifestName    = "manifest.json"
	seedBlobsDir    = "files" // in a checkpoint's folder, as another program lays them out
	filesLockName   = "files.lock"
	filesLatestName = "files.latest"
	rewindName      = "rewind.json"
	safetyPrefix    = "before-rewind-"
)

// CheckpointManager keeps files of a session's folder as they were before tools
// changed them, and brings them back. It needs no git.
//
// A checkpoint is a list of files; contents lie once per session in
// blobs/{sha256}. Only files that some checkpoint lists are ever looked at or
// written; nothing is written through a link or outside the folder. A rewind is
// done whole or not at all: one that was killed while it prepared is dropped by
// the next call of any kind, one that had begun to replace files is finished.
//
// Its methods may be called from several goroutines and processes; one at a time
// works on a session's files (files.lock, which is taken after the session's own
// lock where both are held).
type CheckpointManager struct {
	enabled    bool
	sessionDir string
	root       string
	now        func() time.Time
	noSync     bool
}

// CheckpointOptions say how files are kept. The zero value keeps them.
type CheckpointOptions struct {
	Disabled bool             // nothing is kept, and nothing can be rewound
	Now      func() time.Time // nil: the clock of the file system that holds the session
	NoSync   bool             // what is kept need not survive a crash of the machine; see WithSync
}

// NewCheckpointManager returns the manager of the session stored in sessionDir,
// whose files lie below root. Both are absolute. Nothing is created before
// something is kept.
func NewCheckpointManager(sessionDir, root string, opts CheckpointOptions) *CheckpointManager {
	return &CheckpointManager{!opts.Disabled, sessionDir, root, opts.Now, opts.NoSync}
}

// Enabled reports whether files are kept.
func (m *CheckpointManager) Enabled() bool { return m.enabled }

// CreateCheckpoint keeps files as they are now: paths relative to the session's
// folder, or absolute and in it. A file that does not exist is kept as such. A
// checkpoint of that name is added to; what it holds is never replaced. On error
// (a folder, a special file, a path that leads out of the folder, through a link
// or into .git, a file that changes all the time) nothing is recorded.
func (m *CheckpointManager) CreateCheckpoint(userMsgUUID string, filePaths []string) error {
	return m.CreateCheckpointContext(withoutContext(), userMsgUUID, filePaths)
}

// CreateCheckpointContext is CreateCheckpoint with a context.
func (m *CheckpointManager) CreateCheckpointContext(ctx context.Context, userMsgUUID string, filePaths []string) error {
	if !m.enabled {
		return nil
	}
	w, err := m.begin(ctx)
	if err == nil {
		defer w.end()
		err = w.create(ctx, userMsgUUID, filePaths)
	}
	if err != nil {
		return fmt.Errorf("create checkpoint %q: %w", clipped(userMsgUUID), err)
	}
	return nil
}

// RewindFiles brings every file that was kept at the checkpoint or later to the
// state it had at the checkpoint: its earliest snapshot since. Files that were
// created since are removed, with the folders that were, once these are empty;
// files that are right are not touched. What is replaced is kept first, in a
// checkpoint of its own, which the result names and which can be rewound to.
//
// A dry run changes nothing and says what would be done; a rewind that was
// interrupted is ended first, though, as by every call. Where there is no such
// checkpoint the result says so and the error is nil; otherwise an error stands
// in both, and nothing was changed.
func (m *CheckpointManager) RewindFiles(userMsgUUID string, dryRun bool) (*RewindFilesResult, error) {
	return m.RewindFilesContext(withoutContext(), userMsgUUID, dryRun)
}

// RewindFilesContext is RewindFiles with a context. Once files are replaced it is
// no longer looked at.
func (m *CheckpointManager) RewindFilesContext(ctx context.Context, userMsgUUID string, dryRun bool) (*RewindFilesResult, error) {
	if !m.enabled {
		return &RewindFilesResult{Error: "files are not kept"}, nil
	}
	w, err := m.begin(ctx)
	var result *RewindFilesResult
	if err == nil {
		defer w.end()
		result, err = w.rewind(ctx, userMsgUUID, dryRun)
	}
	switch {
	case errors.Is(err, errNoCheckpoint):
		return &RewindFilesResult{Error: err.Error(), Recovered: w.recovered}, nil
	case err != nil:
		err = fmt.Errorf("rewind files to %q: %w", clipped(userMsgUUID), err)
		return &RewindFilesResult{Error: err.Error()}, err
	}
	result.Recovered = w.recovered
	return result, nil
}

// Recover finishes or drops a rewind that was interrupted and says which; "" if
// there was none. The other calls do so first, too.
func (m *CheckpointManager) Recover(ctx context.Context) (string, error) {
	if _, err := os.Lstat(m.path(rewindName)); !m.enabled || errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	w, err := m.begin(ctx)
	if err != nil {
		return "", err
	}
	return w.recovered, w.end()
}

func (m *CheckpointManager) path(names ...string) string {
	return filepath.Join(append([]string{m.sessionDir}, names...)...)
}

// write replaces a file of the session.
func (m *CheckpointManager) write(path string, data []byte) error {
	return durable.WriteStream(path, bytes.NewReader(data), 0o600, !m.noSync)
}

func (m *CheckpointManager) writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return m.write(path, append(data, '\n'))
}

// fileWork is a call under way: it holds the lock and the session's folder open.
type fileWork struct {
	*CheckpointManager
	lock      *durable.Lock
	tree      *durable.Tree
	own       fs.FileInfo // the session's store, which is not a file of the session
	stored    []string    // contents that were not there before
	recovered string
}

// begin takes the lock and clears up after a rewind that was interrupted.
func (m *CheckpointManager) begin(ctx context.Context) (*fileWork, error) {
	if !filepath.IsAbs(m.root) || !filepath.IsAbs(m.sessionDir) {
		return nil, fmt.Errorf("folder %q is not absolute", clipped(m.root))
	}
	lock, err := durable.Acquire(ctx, m.path(filesLockName))
	if err != nil {
		return nil, err
	}
	w := &fileWork{CheckpointManager: m, lock: lock}
	if w.own, err = os.Stat(m.sessionDir); err == nil {
		w.tree, err = durable.OpenTree(m.root)
	}
	if err == nil {
		w.recovered, err = w.recover(ctx)
	}
	if err != nil {
		_ = w.end()
		return nil, err
	}
	return w, nil
}

func (w *fileWork) end() error {
	if w.tree != nil {
		_ = w.tree.Close()
	}
	return w.lock.Release()
}

func clipped(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
