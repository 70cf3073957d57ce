package staging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"entire/id"
	"entire/internal/durable"
	"entire/session/internal/conversation"
	"entire/session/internal/files"
	"entire/session/internal/layout"
	"entire/session/internal/log"
	"entire/session/internal/queue"
)

// A Staging receives the files of a session from elsewhere. The store's sessions do not include
// it before Keep.
type Staging struct {
	store *queue.Queue
	dir   string
	root  *os.Root
	names map[string]bool // lower-case names of files and their folders: true for a file
	kept  bool
}

// New makes an empty Staging for the store of q.
func New(ctx context.Context, q *queue.Queue) (*Staging, error) {
	if err := q.AwaitWrites(ctx); err != nil {
		return nil, fmt.Errorf("take in a session: %w", err)
	}
	if err := os.MkdirAll(q.Path, 0o750); err != nil {
		return nil, fmt.Errorf("take in a session: %w", err)
	}
	dir, err := os.MkdirTemp(q.Path, layout.BuildPattern)
	if err != nil {
		return nil, fmt.Errorf("take in a session: %w", err)
	}
	if err = os.Chmod(dir, 0o750); err == nil {
		var root *os.Root
		if root, err = os.OpenRoot(dir); err == nil {
			return &Staging{store: q, dir: dir, root: root, names: map[string]bool{}}, nil
		}
	}
	os.RemoveAll(dir)
	return nil, fmt.Errorf("take in a session: %w", err)
}

// Close removes the files if Keep was not called.
func (g *Staging) Close() error {
	err := g.root.Close()
	if g.kept {
		return err
	}
	return errors.Join(err, os.RemoveAll(g.dir))
}

// Put adds a file with the content of r. It refuses a name that exists, also on a file system
// that ignores case.
func (g *Staging) Put(name string, r io.Reader) error {
	if err := g.claim(name); err != nil {
		return err
	}
	f, err := g.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, sum), r)
	if err == nil && !g.store.NoSync {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	blob, ok := strings.CutPrefix(name, layout.BlobsName+"/")
	if err == nil && ok && blob != hex.EncodeToString(sum.Sum(nil)) {
		err = fmt.Errorf("%w: %.64s", files.ErrDamaged, blob)
	}
	return err
}

// claim checks that a name is valid and free, and makes its folders.
func (g *Staging) claim(name string) error {
	if err := CheckFolderFile(name); err != nil {
		return err
	}
	for at := name; at != "."; at = path.Dir(at) {
		isFile, taken := g.names[strings.ToLower(at)]
		if taken && (at == name || isFile) {
			return fmt.Errorf("%.60q is there twice", name)
		}
		g.names[strings.ToLower(at)] = at == name
	}
	if dir := path.Dir(name); dir != "." {
		return g.root.MkdirAll(filepath.FromSlash(dir), 0o750)
	}
	return nil
}

// Link adds the first bytes of a file of another staging, as a fork shares them. It uses a hard
// link if possible.
func (g *Staging) Link(name string, from *Staging, file string, bytes int64) error {
	if err := errors.Join(CheckFolderFile(file), g.claim(name)); err != nil {
		return err
	}
	source := filepath.Join(from.dir, filepath.FromSlash(file))
	info, err := os.Lstat(source)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || bytes < 0 || info.Size() < bytes {
		return fmt.Errorf("%.60q has fewer than %d bytes", file, bytes)
	}
	return layout.ShareFile(source, filepath.Join(g.dir, filepath.FromSlash(name)), bytes)
}

// Check returns an error unless the staged session has that ID and is complete.
func (g *Staging) Check(ctx context.Context, sessionID string) (conversation.SessionMetadata, error) {
	meta, err := g.check(ctx, sessionID)
	if err != nil {
		return meta, fmt.Errorf("session %.100s: %w", sessionID, err)
	}
	return meta, nil
}

func (g *Staging) check(ctx context.Context, sessionID string) (conversation.SessionMetadata, error) {
	var meta conversation.SessionMetadata
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return meta, err
	}
	if ok, err := layout.IsSession(g.dir); err != nil || !ok {
		return meta, errors.Join(err, errors.New("there is nothing of a session in it"))
	}
	if meta, err = g.metadata(sid); err != nil {
		return meta, err
	}
	if err := errors.Join(g.checkBase(), log.CheckLogs(ctx, g.dir), g.checkManifests(meta)); err != nil {
		return meta, err
	}
	return meta, conversation.UpdateCounts(ctx, g.dir, &meta, nil)
}

// metadata reads metadata.json, which must be that of the session.
func (g *Staging) metadata(sid id.SessionID) (meta conversation.SessionMetadata, err error) {
	data, err := layout.ReadRegular(filepath.Join(g.dir, layout.MetadataName))
	if err != nil {
		return meta, fmt.Errorf("%s: %w", layout.MetadataName, err)
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		return meta, fmt.Errorf("%s: %w", layout.MetadataName, err)
	}
	if meta.ID != "" && meta.ID != sid.String() {
		return meta, fmt.Errorf("%s is that of session %.60q", layout.MetadataName, meta.ID)
	}
	meta.ID = sid.String()
	return meta, nil
}

// checkBase returns an error unless the files that base.json names are there.
func (g *Staging) checkBase() error {
	b, err := log.ReadBase(g.dir)
	if err != nil {
		return err
	}
	for _, p := range append(b.Messages, b.Transcript...) {
		info, err := os.Lstat(filepath.Join(g.dir, p.File))
		if err == nil && info.Size() < p.Bytes {
			err = fmt.Errorf("%s has %d of %d bytes", p.File, info.Size(), p.Bytes)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkManifests returns an error unless the files can be rewound to every checkpoint, and no
// checkpoint leads out of the session's folder.
func (g *Staging) checkManifests(meta conversation.SessionMetadata) error {
	names, err := layout.CheckpointNames(g.dir)
	if err != nil {
		return err
	}
	m := files.NewCheckpointManager(g.dir, meta.CWD, files.CheckpointOptions{Now: g.store.Now})
	for _, name := range names {
		c, _, err := m.Manifest(name)
		if errors.Is(err, files.ErrNoCheckpoint) {
			continue
		}
		if err != nil {
			return err
		}
		for _, f := range c.Files {
			if f.Hash == "" {
				continue
			}
			r, err := m.OpenBlob(f.Hash, name)
			if err != nil {
				return fmt.Errorf("checkpoint %s: %w", name, err)
			}
			r.Close()
		}
	}
	return nil
}

// Keep makes the staged session, which had the ID was, a session of the store with the ID
// sessionID. edit, if not nil, changes its metadata. It returns ErrExists if the store has that
// ID.
func (g *Staging) Keep(ctx context.Context, was, sessionID string, edit func(*conversation.SessionMetadata)) error {
	err := g.store.AwaitWrites(ctx)
	if err == nil {
		err = g.keep(was, sessionID, edit)
	}
	if err != nil {
		return fmt.Errorf("keep session %.100s: %w", sessionID, err)
	}
	return nil
}

// keep moves a staged session into the store under the ID that it keeps; edit changes its metadata on the
// way. ErrExists if the store has that ID.
func (g *Staging) keep(was, sessionID string, edit func(*conversation.SessionMetadata)) error {
	old, err := id.ParseSessionID(was)
	if err != nil {
		return err
	}
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return err
	}
	target := filepath.Join(g.store.Path, sid.String())
	switch exists, err := layout.IsSession(target); {
	case err != nil:
		return err
	case exists:
		return layout.ErrExists
	}
	meta, err := g.metadata(old)
	if err != nil {
		return err
	}
	before := meta
	if meta.ID = sid.String(); edit != nil {
		edit(&meta)
	}
	if changed, err := metadataDiffers(before, meta); err != nil || changed { // unchanged metadata stays byte for byte
		if err != nil {
			return err
		}
		if err := conversation.WriteMetadata(g.dir, meta, !g.store.NoSync); err != nil {
			return err
		}
	}
	if !g.store.NoSync {
		if err := durable.SyncDir(g.dir); err != nil {
			return err
		}
	}
	if err := g.store.MarkBehind(sid); err != nil { // the metadata may count fewer messages than there are
		return err
	}
	if err := g.store.Appear(g.dir, target); err != nil {
		return err
	}
	g.kept = true
	return nil
}

func metadataDiffers(a, b conversation.SessionMetadata) (bool, error) {
	x, err := conversation.EncodeMetadata(a)
	if err != nil {
		return false, err
	}
	y, err := conversation.EncodeMetadata(b)
	return string(x) != string(y), err
}

// fileSizeOrMissing returns a file's size; -1 if there is no such file.
func fileSizeOrMissing(path string) (int64, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
