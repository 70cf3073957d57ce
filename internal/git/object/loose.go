package object

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// looseHead is more than the length of an object's header.
const looseHead = 64

// NativeMax bounds the size of objects that are read natively, so that no larger one is in
// memory twice.
const NativeMax = 8 << 20

// errNotNative means that git must be asked.
var errNotNative = errors.New("not to be read without git")

// Files reads objects from the repository's files, if they are of the ordinary kind:
// loose objects and packs of SHA-1, without alternates. Every object that it returns has
// the content of its ID. Git must be asked for every object that it cannot read or does
// not find.
type Files struct {
	dir     string
	Packs   []*pack // the most recently used one comes first
	listed  bool
	Many    bool // more packs than are searched here
	inflate decoder

	raw, delta, spare []byte // reused for each object
}

// NewObjectFiles returns nil if only git can read the objects.
func NewObjectFiles(objects string, ordinary bool) *Files {
	if !ordinary {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(objects, "info", "alternates")); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &Files{dir: objects}
}

// Read returns an object. An object larger than limit, if that is not 0, has no data and
// is marked as Large. Any error means that git must be asked.
func (f *Files) Read(oid OID, limit int64) (Object, error) {
	o, err := f.loose(oid, limit)
	if errors.Is(err, fs.ErrNotExist) {
		o, err = f.packed(oid, limit)
	}
	if err != nil {
		return Object{}, err
	}
	if o.OID = oid; !o.Large && ObjectOID(sha1.New(), o.Type, o.Data) != oid {
		return Object{}, errNotNative
	}
	return o, nil
}

func (f *Files) loose(oid OID, limit int64) (Object, error) {
	name := oid.String()
	data, err := readBounded(filepath.Join(f.dir, name[:2], name[2:]), NativeMax)
	if err != nil {
		return Object{}, err
	}
	var head [looseHead]byte
	n, err := f.inflate.into(head[:], data)
	if err != nil {
		return Object{}, err
	}
	kind, after, ok := bytes.Cut(head[:n], []byte{' '})
	digits, begun, ok2 := bytes.Cut(after, []byte{0})
	size, err := strconv.ParseInt(string(digits), 10, 64)
	if !ok || !ok2 || err != nil || size < int64(len(begun)) || size > NativeMax {
		return Object{}, errNotNative
	}
	if limit > 0 && size > limit {
		return Object{Type: string(kind), Large: true}, nil
	}
	whole, from := head[:n], n-len(begun)
	if int64(len(begun)) < size {
		whole = make([]byte, from+int(size))
		if n, err := f.inflate.into(whole, data); err != nil || n < len(whole) {
			return Object{}, errNotNative
		}
	}
	return Object{Type: string(kind), Data: whole[from:]}, nil
}

// Close closes the packs.
func (f *Files) Close() {
	for _, p := range f.Packs {
		p.close()
	}
	f.Packs, f.listed = nil, false
}
