package store

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/git/object"
)

func (r *Repo) NewHash() hash.Hash {
	if r.SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// BlobOID returns the ID that data would have as a blob; it writes nothing.
func (r *Repo) BlobOID(data []byte) object.OID {
	return object.ObjectOID(r.NewHash(), "blob", data)
}

// EmptyTree returns the ID of the tree without entries.
func (r *Repo) EmptyTree() object.OID {
	h := r.NewHash()
	h.Write([]byte("tree 0\x00"))
	return object.OIDFromBytes(h.Sum(nil))
}

// loosePath returns the path of oid as a loose object.
func (r *Repo) loosePath(oid object.OID) string {
	name := oid.String()
	return filepath.Join(r.objects, name[:2], name[2:])
}

// Sync makes every object written so far durable and gives it its name. Call it before a
// ref names one of them. After an error, no ref may name any of them; the temporary files
// are removed.
func (w *Writer) Sync() error { return w.repo.SyncPending() }

func (r *Repo) SyncPending() error {
	if err := r.flushPending(); err != nil {
		r.dropPending()
		return fmt.Errorf("make objects durable: %w", err)
	}
	for oid, p := range r.pending {
		if p.temp == "" {
			continue
		}
		err := p.settle()
		if errors.Is(err, fs.ErrNotExist) { // a prune deleted it
			err = fmt.Errorf("%w: %w", object.ErrMissing, err)
		}
		if err != nil {
			r.dropPending()
			return fmt.Errorf("name object %s: %w", oid.Short(), err)
		}
		p.temp = ""
		r.pending[oid] = p
	}
	return nil
}

// flushPending writes through to the disk what this program wrote, and what git wrote for
// it without an fsync.
func (r *Repo) flushPending() error {
	var last string
	for _, path := range r.loose {
		switch err := object.Writeback(path); {
		case errors.Is(err, fs.ErrNotExist): // it is in a pack, or was pruned
			if r.pruned(path) {
				return fmt.Errorf("read %s: %w", filepath.Base(path), object.ErrMissing)
			}
		case err != nil:
			return err
		default:
			last = path
		}
	}
	for _, p := range r.pending {
		if p.temp != "" {
			last = p.temp
		}
	}
	if last != "" {
		if err := object.Flush(last); err != nil {
			return err
		}
	}
	r.loose = nil
	return nil
}

// settle renames the object to its name, but never replaces a good one: another process
// may have mapped it.
func (p pendingObject) settle() error {
	if !p.replace {
		err := os.Link(p.temp, p.path)
		if err == nil || errors.Is(err, fs.ErrExist) {
			_ = os.Remove(p.temp)
			return nil
		}
	}
	return os.Rename(p.temp, p.path)
}

func (r *Repo) dropPending() {
	for _, p := range r.pending {
		if p.temp != "" {
			_ = os.Remove(p.temp)
		}
	}
	r.pending = map[object.OID]pendingObject{}
	r.loose = nil
}
