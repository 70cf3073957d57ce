package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/durable"
	"entire/internal/git/config"
	"entire/internal/git/object"
)

// plainMax bounds the size of files that are stored without git.
const plainMax = 1 << 20

// plainFiles stores those files of the worktree that are blobs as they are.
type plainFiles struct {
	repo       *Repo
	objects    *object.Files
	attributes *config.Attributes
}

// plainFiles returns nil if only git can store files.
func (r *Repo) plainFiles(ctx context.Context) *plainFiles {
	objects := r.Reader(ctx).files
	if objects == nil || r.Top == "" { // alternates or SHA-256, for example
		return nil
	}
	c, ok := r.gitConfig()
	if !ok || shared(c) {
		return nil
	}
	return &plainFiles{repo: r, objects: objects, attributes: c.Attributes(r.Top)}
}

// store stores the file at path, if git would store just its bytes. False means that git
// must be asked, whatever the reason.
func (p *plainFiles) store(path string, res *HashResult) bool {
	if p == nil || !p.attributes.Plain(path) {
		return false
	}
	data, err := readPlain(filepath.Join(p.repo.Top, filepath.FromSlash(path)))
	if err != nil || bytes.IndexByte(data, '\r') >= 0 || bytes.Contains(data, []byte("$Id")) {
		return false
	}
	oid, ok := p.repo.Writer().now(p.objects, data)
	if ok {
		res.OIDs[path] = oid
	}
	return ok
}

// errUnsteady is a file that is too large or changes while it is read.
var errUnsteady = errors.New("not read as a whole")

// readPlain reads a regular file of moderate size.
func readPlain(path string) ([]byte, error) {
	f, err := durable.OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil || before.Size() > plainMax {
		return nil, errUnsteady
	}
	data := make([]byte, before.Size()+1)
	n, err := io.ReadFull(f, data)
	after, serr := f.Stat()
	if err != io.ErrUnexpectedEOF && err != io.EOF || serr != nil || int64(n) != before.Size() || changed(before, after) {
		return nil, errUnsteady
	}
	return data[:n], nil
}

func changed(before, after fs.FileInfo) bool {
	return before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime())
}

// now stores data as a blob that others see at once, as git does. It is durable after Sync.
// An object that is in a pack is not written again.
func (w *Writer) now(objects *object.Files, data []byte) (oid object.OID, ok bool) {
	header, oid := w.name("blob", data)
	p := pendingObject{path: w.repo.loosePath(oid)}
	there, fresh := freshen(p.path)
	if !fresh {
		if packed, ok := objects.FreshenPacked(oid); packed || !ok {
			return oid, ok
		}
		var err error
		p.replace = there
		if p.temp, err = w.writeTemp(filepath.Dir(p.path), header, data); err != nil {
			return oid, false
		}
		if err := p.settle(); err != nil {
			_ = os.Remove(p.temp)
			return oid, false
		}
	}
	w.repo.stored(oid)
	return oid, true
}
