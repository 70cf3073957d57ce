package files

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
	"entire/session/internal/layout"
)

// Names in a session's folder. They reach disk.

const manifestName = "manifest.json"

const seedBlobsDir = "files" // in a checkpoint's folder, where another program puts contents

const filesLatestName = "files.latest"

const rewindName = "rewind.json"

const safetyPrefix = "before-rewind-"

// CheckpointManager keeps files of a session's folder as they were before tools changed them,
// and restores them. It needs no git.
//
// A checkpoint is a list of files; their contents lie once per session in blobs/{sha256}.
// CheckpointManager reads and writes only files that a checkpoint lists, and writes nothing
// through a link or outside the folder. A rewind succeeds as a whole or changes nothing: the
// next call of any kind drops a rewind that was killed while it prepared, and finishes one that
// had begun to replace files.
//
// Several goroutines and processes may call its methods. One call at a time works on a
// session's files, under files.lock; a caller that also holds the session's own lock takes
// files.lock second.
type CheckpointManager struct {
	enabled    bool
	sessionDir string
	root       string
	now        func() time.Time
	noSync     bool
}

// CheckpointOptions say how files are kept. The zero value keeps them.
type CheckpointOptions struct {
	Disabled bool             // keep nothing and rewind nothing
	Now      func() time.Time // nil is the clock of the file system that holds the session
	NoSync   bool             // kept files need not survive a crash of the machine; see WithSync
}

// NewCheckpointManager returns the manager of the session stored in sessionDir, whose files lie
// below root. Both paths are absolute. It creates nothing before a file is kept.
func NewCheckpointManager(sessionDir, root string, opts CheckpointOptions) *CheckpointManager {
	return &CheckpointManager{!opts.Disabled, sessionDir, root, opts.Now, opts.NoSync}
}

// Enabled reports whether files are kept.
func (m *CheckpointManager) Enabled() bool { return m.enabled }

// CreateCheckpoint keeps files as they are now. The paths are relative to the session's folder,
// or absolute and inside it. A checkpoint also records that a file does not exist. If the
// checkpoint exists, new files are added to it and what it holds stays. On error (a folder, a
// special file, a path that leads out of the folder, through a link or into .git, a file that
// keeps changing) nothing is recorded.
func (m *CheckpointManager) CreateCheckpoint(userMsgUUID string, filePaths []string) error {
	return m.CreateCheckpointContext(layout.WithoutContext(), userMsgUUID, filePaths)
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

// RewindFiles restores every file that was kept at the checkpoint or later to its state at the
// checkpoint: its earliest snapshot since then. It removes files created since, and folders
// created since once they are empty; it does not touch files that are right. It first keeps
// what it replaces in a safety checkpoint, which the result names and which can be rewound to.
//
// A dry run only says what a rewind would do; like every call, it first ends an interrupted
// rewind. If there is no such checkpoint, the result says so and the error is nil. Any other
// error is in the result and returned, and then nothing was changed.
func (m *CheckpointManager) RewindFiles(userMsgUUID string, dryRun bool) (*RewindFilesResult, error) {
	return m.RewindFilesContext(layout.WithoutContext(), userMsgUUID, dryRun)
}

// RewindFilesContext is RewindFiles with a context, which has no effect once files are being
// replaced.
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
	case errors.Is(err, ErrNoCheckpoint):
		return &RewindFilesResult{Error: err.Error(), Recovered: w.recovered}, nil
	case err != nil:
		err = fmt.Errorf("rewind files to %q: %w", clipped(userMsgUUID), err)
		return &RewindFilesResult{Error: err.Error()}, err
	}
	result.Recovered = w.recovered
	return result, nil
}

// Recover finishes or drops an interrupted rewind and says which; "" if there was none. The
// other calls do this first, too.
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

// write replaces a file of the session's store.
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

// fileOperation is one running call. It holds the lock and keeps the session's folder open.
type fileOperation struct {
	*CheckpointManager
	lock      *durable.Lock
	tree      *durable.Tree
	storeInfo fs.FileInfo // the session's own store, which no checkpoint may hold
	stored    []string    // hashes of the contents that this call added
	recovered string
}

// begin takes the lock and ends an interrupted rewind.
func (m *CheckpointManager) begin(ctx context.Context) (*fileOperation, error) {
	if !filepath.IsAbs(m.root) || !filepath.IsAbs(m.sessionDir) {
		return nil, fmt.Errorf("folder %q is not absolute", clipped(m.root))
	}
	lock, err := durable.Acquire(ctx, m.path(layout.FilesLockName))
	if err != nil {
		return nil, err
	}
	w := &fileOperation{CheckpointManager: m, lock: lock}
	if w.storeInfo, err = os.Stat(m.sessionDir); err == nil {
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

func (w *fileOperation) end() error {
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
