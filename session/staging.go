package session

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
)

// A Staging receives the files of a session from elsewhere. The store's sessions do not include
// it before Keep.
type Staging struct {
	store *Queue
	dir   string
	root  *os.Root
	names map[string]bool // lower-case names of files and their folders: true for a file
	kept  bool
}

// Stage makes an empty Staging.
func (s *Store) Stage(ctx context.Context) (*Staging, error) { return stage(ctx, s.queue) }

// stage makes an empty Staging for the store of q.
func stage(ctx context.Context, q *Queue) (*Staging, error) {
	if err := q.settle(ctx); err != nil {
		return nil, fmt.Errorf("take in a session: %w", err)
	}
	if err := os.MkdirAll(q.base, 0o750); err != nil {
		return nil, fmt.Errorf("take in a session: %w", err)
	}
	dir, err := os.MkdirTemp(q.base, buildPattern)
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
	if err == nil && !g.store.noSync {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	blob, ok := strings.CutPrefix(name, blobsName+"/")
	if err == nil && ok && blob != hex.EncodeToString(sum.Sum(nil)) {
		err = fmt.Errorf("%w: %.64s", errDamaged, blob)
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
	return shareFile(source, filepath.Join(g.dir, filepath.FromSlash(name)), bytes)
}

// Check returns an error unless the staged session has that ID and is complete.
func (g *Staging) Check(ctx context.Context, sessionID string) (SessionMetadata, error) {
	meta, err := g.check(ctx, sessionID)
	if err != nil {
		return meta, fmt.Errorf("session %.100s: %w", sessionID, err)
	}
	return meta, nil
}

func (g *Staging) check(ctx context.Context, sessionID string) (SessionMetadata, error) {
	var meta SessionMetadata
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return meta, err
	}
	if ok, err := isSession(g.dir); err != nil || !ok {
		return meta, errors.Join(err, errors.New("there is nothing of a session in it"))
	}
	if meta, err = g.metadata(sid); err != nil {
		return meta, err
	}
	if err := errors.Join(g.checkBase(), checkLogs(ctx, g.dir), g.checkManifests(meta)); err != nil {
		return meta, err
	}
	return meta, catchUp(ctx, g.dir, &meta, nil)
}

// metadata reads metadata.json, which must be that of the session.
func (g *Staging) metadata(sid id.SessionID) (meta SessionMetadata, err error) {
	data, err := readRegular(filepath.Join(g.dir, metadataName))
	if err != nil {
		return meta, fmt.Errorf("%s: %w", metadataName, err)
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		return meta, fmt.Errorf("%s: %w", metadataName, err)
	}
	if meta.ID != "" && meta.ID != sid.String() {
		return meta, fmt.Errorf("%s is that of session %.60q", metadataName, meta.ID)
	}
	meta.ID = sid.String()
	return meta, nil
}

// checkBase returns an error unless the files that base.json names are there.
func (g *Staging) checkBase() error {
	b, err := readBase(g.dir)
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
func (g *Staging) checkManifests(meta SessionMetadata) error {
	names, err := checkpointNames(g.dir)
	if err != nil {
		return err
	}
	m := NewCheckpointManager(g.dir, meta.CWD, CheckpointOptions{Now: g.store.now})
	for _, name := range names {
		c, _, err := m.manifest(name)
		if errors.Is(err, errNoCheckpoint) {
			continue
		}
		if err != nil {
			return err
		}
		for _, f := range c.Files {
			if f.Hash == "" {
				continue
			}
			r, err := m.openBlob(f.Hash, name)
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
func (g *Staging) Keep(ctx context.Context, was, sessionID string, edit func(*SessionMetadata)) error {
	err := g.store.settle(ctx)
	if err == nil {
		err = g.keep(was, sessionID, edit)
	}
	if err != nil {
		return fmt.Errorf("keep session %.100s: %w", sessionID, err)
	}
	return nil
}

func (g *Staging) keep(was, sessionID string, edit func(*SessionMetadata)) error {
	old, err := id.ParseSessionID(was)
	if err != nil {
		return err
	}
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return err
	}
	target := filepath.Join(g.store.base, sid.String())
	switch exists, err := isSession(target); {
	case err != nil:
		return err
	case exists:
		return ErrExists
	}
	meta, err := g.metadata(old)
	if err != nil {
		return err
	}
	before := meta
	if meta.ID = sid.String(); edit != nil {
		edit(&meta)
	}
	if changed, err := differ(before, meta); err != nil || changed { // unchanged metadata stays byte for byte
		if err != nil {
			return err
		}
		if err := writeMetadata(g.dir, meta, !g.store.noSync); err != nil {
			return err
		}
	}
	if !g.store.noSync {
		if err := durable.SyncDir(g.dir); err != nil {
			return err
		}
	}
	if err := g.store.mark(sid); err != nil { // the metadata may count fewer messages than there are
		return err
	}
	if err := g.store.appear(g.dir, target); err != nil {
		return err
	}
	g.kept = true
	return nil
}

func differ(a, b SessionMetadata) (bool, error) {
	x, err := encodeMetadata(a)
	if err != nil {
		return false, err
	}
	y, err := encodeMetadata(b)
	return string(x) != string(y), err
}

// fileThere returns a file's size; -1 if there is no such file.
func fileThere(path string) (int64, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
