package store

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/zlib"

	"entire/internal/git/object"
)

// pendingObject is an object that is written but does not have its name yet.
type pendingObject struct {
	kind    string
	data    []byte // set for trees and commits, which are read again in this process
	temp    string // "" if the object existed and was freshened
	path    string
	replace bool // the file at path is damaged
}

// Writer writes loose objects natively. An object gets its name only in [Writer.Sync],
// after its content is on disk; before that, only this Repo's own [Reader] sees it (blobs
// excepted).
type Writer struct {
	repo    *Repo
	deflate *zlib.Writer  // into out
	out     *bufio.Writer // deflate writes a few bytes at a time
}

// Writer returns the Repo's writer.
func (r *Repo) Writer() *Writer {
	if r.writer == nil {
		r.writer = &Writer{repo: r}
	}
	return r.writer
}

// Blob stores data as a blob.
func (w *Writer) Blob(data []byte) (object.OID, error) { return w.object("blob", data) }

// Tree stores entries, in any order, as a tree. An entry without an object, or two of one
// name, are an error.
func (w *Writer) Tree(entries []object.TreeEntry) (object.OID, error) {
	data, err := object.EncodeTree(entries, w.repo.HashLen())
	if err != nil {
		return object.OID{}, fmt.Errorf("write tree: %w", err)
	}
	return w.object("tree", data)
}

// Commit stores a commit. Its OID field is ignored.
func (w *Writer) Commit(c object.Commit) (object.OID, error) {
	for _, oid := range append([]object.OID{c.Tree}, c.Parents...) {
		if len(oid.Bytes()) != w.repo.HashLen() {
			return object.OID{}, fmt.Errorf("write commit: %q is no object of this repository", oid)
		}
	}
	return w.object("commit", c.Encode())
}

// RawCommit stores the bytes of a commit object that was read from a repository. Bytes that are
// no commit are an error.
func (w *Writer) RawCommit(data []byte) (object.OID, error) {
	if _, err := object.ParseCommit(object.OID{}, data); err != nil {
		return object.OID{}, fmt.Errorf("write commit: %w", err)
	}
	return w.object("commit", data)
}

func (w *Writer) object(kind string, data []byte) (object.OID, error) {
	header, oid := w.name(kind, data)
	if err := w.put(kind, oid, header, data); err != nil {
		return object.OID{}, fmt.Errorf("write %s %s: %w", kind, oid.Short(), err)
	}
	return oid, nil
}

// name returns an object's header and ID.
func (w *Writer) name(kind string, data []byte) (header []byte, oid object.OID) {
	header = []byte(kind + " " + strconv.Itoa(len(data)) + "\x00")
	h := w.repo.NewHash()
	h.Write(header)
	h.Write(data)
	return header, object.OIDFromBytes(h.Sum(nil))
}

func (w *Writer) put(kind string, oid object.OID, header, data []byte) error {
	if _, done := w.repo.pending[oid]; done {
		return nil
	}
	p := pendingObject{kind: kind, path: w.repo.loosePath(oid)}
	if kind != "blob" {
		p.data = data
	}
	// An existing object must not be pruned as old once we depend on it. If its time
	// cannot be set, or a crash left it empty, it is written again and replaced.
	there, fresh := freshen(p.path)
	if fresh {
		w.repo.pending[oid] = p
		return nil
	}
	var err error
	p.replace = there
	if p.temp, err = w.writeTemp(filepath.Dir(p.path), header, data); err != nil {
		return err
	}
	w.repo.pending[oid] = p
	return nil
}

// freshen sets the time of a loose object to now. fresh is false if that fails, or if the
// file is empty.
func freshen(path string) (there, fresh bool) {
	fi, err := os.Lstat(path)
	return err == nil, err == nil && fi.Size() > 0 && object.Freshen(path) == nil
}

// writeTemp deflates an object into a temporary file in dir, where git's own prune would
// search for a stale one.
func (w *Writer) writeTemp(dir string, header, data []byte) (path string, err error) {
	f, err := w.repo.createTemp(dir, 0o444)
	if err != nil {
		return "", err
	}
	if err = w.fill(f, header, data); err == nil {
		err = object.ShareFile(f.Name(), w.repo.shared)
	}
	if err == nil {
		err = object.StartWriteback(f)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

func (w *Writer) fill(f *os.File, header, data []byte) error {
	if w.deflate == nil {
		w.out = bufio.NewWriterSize(f, 16<<10)
		z, err := zlib.NewWriterLevel(w.out, zlib.BestSpeed)
		if err != nil {
			return err
		}
		w.deflate = z
	} else {
		w.out.Reset(f)
		w.deflate.Reset(w.out)
	}
	if _, err := w.deflate.Write(header); err != nil {
		return err
	}
	if _, err := w.deflate.Write(data); err != nil {
		return err
	}
	if err := w.deflate.Close(); err != nil {
		return err
	}
	return w.out.Flush()
}

// removedMost bounds how often createTemp makes a folder again: git gc removes empty folders at any time.
const removedMost = 100

// createTemp creates a file that git's own prune removes if it is left behind.
func (r *Repo) createTemp(dir string, mode fs.FileMode) (f *os.File, err error) {
	var rnd [6]byte
	if _, err := rand.Read(rnd[:]); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "tmp_obj_"+hex.EncodeToString(rnd[:]))
	for range removedMost {
		if f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		if err = os.MkdirAll(dir, 0o777); err == nil {
			err = object.ShareDir(dir, r.shared)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, err
}
