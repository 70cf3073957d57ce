package git

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"entire/internal/inflate"
)

// looseHead is more than an object's type and size take.
const looseHead = 64

// nativeMax bounds the objects that are read without git, which holds none of a
// larger one twice.
const nativeMax = 8 << 20

// errNotNative: git has to be asked.
var errNotNative = errors.New("not to be read without git")

// objectFiles reads objects from the repository's own files, where these are of
// the ordinary kind: loose objects and packs of SHA-1, without alternates. What
// it returns has the content that its ID says. Everything that it cannot read,
// or does not find, is git's to answer for.
type objectFiles struct {
	dir     string
	packs   []*pack // the one that last had something comes first
	listed  bool
	many    bool // more packs than are looked through here
	inflate inflate.Decoder

	raw, delta, spare []byte // used again for each object
}

// newObjectFiles is nil where only git can read the objects.
func newObjectFiles(r *Repo) *objectFiles {
	if !r.ordinary {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(r.objects, "info", "alternates")); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &objectFiles{dir: r.objects}
}

// read returns an object; not of more than limit bytes, if there is a limit,
// but marked as Large. Any error means that git is to be asked.
func (f *objectFiles) read(oid OID, limit int64) (Object, error) {
	o, err := f.loose(oid, limit)
	if errors.Is(err, fs.ErrNotExist) {
		o, err = f.packed(oid, limit)
	}
	if err != nil {
		return Object{}, err
	}
	if o.OID = oid; !o.Large && objectOID(sha1.New(), o.Type, o.Data) != oid {
		return Object{}, errNotNative
	}
	return o, nil
}

func (f *objectFiles) loose(oid OID, limit int64) (Object, error) {
	name := oid.String()
	data, err := readBounded(filepath.Join(f.dir, name[:2], name[2:]), nativeMax)
	if err != nil {
		return Object{}, err
	}
	var head [looseHead]byte
	n, err := f.inflate.Into(head[:], data)
	if err != nil {
		return Object{}, err
	}
	kind, after, ok := bytes.Cut(head[:n], []byte{' '})
	digits, begun, ok2 := bytes.Cut(after, []byte{0})
	size, err := strconv.ParseInt(string(digits), 10, 64)
	if !ok || !ok2 || err != nil || size < int64(len(begun)) || size > nativeMax {
		return Object{}, errNotNative
	}
	if limit > 0 && size > limit {
		return Object{Type: string(kind), Large: true}, nil
	}
	whole, from := head[:n], n-len(begun)
	if int64(len(begun)) < size {
		whole = make([]byte, from+int(size))
		if n, err := f.inflate.Into(whole, data); err != nil || n < len(whole) {
			return Object{}, errNotNative
		}
	}
	return Object{Type: string(kind), Data: whole[from:]}, nil
}

// close lets go of the packs.
func (f *objectFiles) close() {
	for _, p := range f.packs {
		p.close()
	}
	f.packs, f.listed = nil, false
}
