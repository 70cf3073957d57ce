package git

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/zlib"
)

// pendingObject is written but not yet under its name.
type pendingObject struct {
	kind string
	data []byte // kept for small objects that are read again in this process
	temp string // "" when the object existed and was freshened
	path string
}

// Writer writes loose objects natively. An object gets its name only in
// [Writer.Sync], after its content is on disk; before that it is visible to
// this Repo's own [Reader] alone (blobs are not).
type Writer struct {
	repo    *Repo
	deflate *zlib.Writer
}

// Writer returns the Repo's writer.
func (r *Repo) Writer() *Writer { return &Writer{repo: r} }

// Blob stores data as a blob.
func (w *Writer) Blob(data []byte) (OID, error) { return w.object("blob", data) }

// Tree stores entries, in any order, as a tree.
func (w *Writer) Tree(entries []TreeEntry) (OID, error) { return w.object("tree", encodeTree(entries)) }

// Commit stores a commit. Its OID field is ignored.
func (w *Writer) Commit(c Commit) (OID, error) {
	if c.Tree.IsZero() {
		return OID{}, errors.New("write commit: no tree")
	}
	return w.object("commit", c.encode())
}

func (r *Repo) newHash() hash.Hash {
	if r.SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// BlobOID is the ID data would have as a blob; nothing is written.
func (r *Repo) BlobOID(data []byte) OID {
	h := r.newHash()
	h.Write([]byte("blob " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data)
	return oidFromBytes(h.Sum(nil))
}

// EmptyTree is the ID of the tree without entries.
func (r *Repo) EmptyTree() OID {
	h := r.newHash()
	h.Write([]byte("tree 0\x00"))
	return oidFromBytes(h.Sum(nil))
}

func (w *Writer) object(kind string, data []byte) (OID, error) {
	header := []byte(kind + " " + strconv.Itoa(len(data)) + "\x00")
	h := w.repo.newHash()
	h.Write(header)
	h.Write(data)
	oid := oidFromBytes(h.Sum(nil))
	if _, done := w.repo.pending[oid]; done {
		return oid, nil
	}
	name := oid.String()
	p := pendingObject{kind: kind, path: filepath.Join(w.repo.objects, name[:2], name[2:])}
	if kind != "blob" {
		p.data = data
	}
	// An object that exists must not be pruned as old while we come to depend
	// on it; if its time cannot be renewed it is written again.
	if freshen(p.path) == nil {
		w.repo.pending[oid] = p
		return oid, nil
	}
	var err error
	if p.temp, err = w.writeTemp(filepath.Dir(p.path), header, data); err != nil {
		return OID{}, fmt.Errorf("write %s %s: %w", kind, oid.Short(), err)
	}
	w.repo.pending[oid] = p
	return oid, nil
}

// writeTemp deflates an object into a temporary file in dir, where git's own
// prune would look for a stale one.
func (w *Writer) writeTemp(dir string, header, data []byte) (path string, err error) {
	f, err := w.createTemp(dir)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if w.deflate == nil {
		w.deflate, err = zlib.NewWriterLevel(f, zlib.BestSpeed)
	} else {
		w.deflate.Reset(f)
	}
	if err != nil {
		return "", err
	}
	if _, err = w.deflate.Write(header); err != nil {
		return "", err
	}
	if _, err = w.deflate.Write(data); err != nil {
		return "", err
	}
	if err = w.deflate.Close(); err != nil {
		return "", err
	}
	if err = f.Chmod(0o444 | w.repo.sharedBit&0o444); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return "", err
	}
	if err = startWriteback(f); err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

func (w *Writer) createTemp(dir string) (*os.File, error) {
	var rnd [6]byte
	if _, err := rand.Read(rnd[:]); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "tmp_obj_"+hex.EncodeToString(rnd[:]))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		if w.repo.sharedBit != 0 {
			_ = os.Chmod(dir, 0o2770|w.repo.sharedBit|0o001*(w.repo.sharedBit&0o004>>2))
		}
		return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	return f, err
}

// Sync makes every object written so far durable and gives it its name. Call it
// before a ref names one of them. After an error nothing may be named; the
// temporary files are removed.
func (w *Writer) Sync() error { return w.repo.syncPending() }

func (r *Repo) syncPending() error {
	temps := make([]string, 0, len(r.pending))
	for _, p := range r.pending {
		if p.temp != "" {
			temps = append(temps, p.temp)
		}
	}
	if len(temps) == 0 {
		return nil
	}
	if err := flush(r.objects, temps); err != nil {
		r.dropPending()
		return fmt.Errorf("make objects durable: %w", err)
	}
	for oid, p := range r.pending {
		if p.temp == "" {
			continue
		}
		// Never over an existing object: somebody may have it mapped.
		if err := os.Link(p.temp, p.path); err != nil && !errors.Is(err, fs.ErrExist) {
			if err := os.Rename(p.temp, p.path); err != nil {
				r.dropPending()
				return fmt.Errorf("name object %s: %w", oid.Short(), err)
			}
		}
		_ = os.Remove(p.temp)
		p.temp = ""
		r.pending[oid] = p
	}
	return nil
}

func (r *Repo) dropPending() {
	for _, p := range r.pending {
		if p.temp != "" {
			_ = os.Remove(p.temp)
		}
	}
	r.pending = map[OID]pendingObject{}
}
