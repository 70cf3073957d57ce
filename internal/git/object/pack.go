package object

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// KeptMax bounds the total size of the objects in a Reader's cache, and keptObject the
// size of one.
const KeptMax = 8 << 20

const (
	// packsMax bounds how many packs are searched here; git, which has an index of all
	// packs, is faster with more of them.
	packsMax = 40

	// deltasMax bounds the length of a chain of deltas.
	deltasMax = 100
)

// pack is one pack with its index (version 2, SHA-1).
type pack struct {
	path  string // without its file extension
	index *os.File
	data  *os.File
	count uint32
	size  int64
	bases map[int64]packed // bases of deltas that were read
	kept  int              // the size of bases
	bad   bool
}

// packed is an object read from a pack.
type packed struct {
	kind string
	data []byte
}

func (f *Files) packed(oid OID, limit int64) (Object, error) {
	if !f.listed {
		if err := f.List(); err != nil {
			return Object{}, err
		}
	}
	for i, p := range f.Packs {
		at, ok := p.Find(oid)
		if !ok {
			continue
		}
		o, err := f.at(p, at, limit)
		if err != nil {
			return Object{}, err
		}
		f.Packs = slices.Insert(slices.Delete(f.Packs, i, i+1), 0, p)
		return o, nil
	}
	return Object{}, errNotNative
}

// FreshenPacked sets the time of the pack that has an object to now, so that git does not
// take the object for an old one. ok is false if only git can tell whether there is one. A
// pack of objects that nothing reaches (cruft) does not count, as in git.
func (f *Files) FreshenPacked(oid OID) (found, ok bool) {
	if !f.listed && f.List() != nil || f.Many {
		return false, false
	}
	for _, p := range f.Packs {
		if _, has := p.Find(oid); has && !p.cruft() && Freshen(p.path+".pack") == nil {
			return true, true
		}
	}
	return false, true
}

func (p *pack) cruft() bool {
	_, err := os.Lstat(p.path + ".mtimes")
	return !errors.Is(err, fs.ErrNotExist)
}

// List finds the packs, sorted by size: the largest has most of the requested objects.
func (f *Files) List() error {
	f.listed = true
	entries, err := os.ReadDir(filepath.Join(f.dir, "pack"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok {
			continue
		}
		p := &pack{path: filepath.Join(f.dir, "pack", stem)}
		if fi, err := e.Info(); err == nil {
			p.size = fi.Size()
		}
		f.Packs = append(f.Packs, p)
	}
	if len(f.Packs) > packsMax {
		f.Packs, f.Many = nil, true
	}
	slices.SortFunc(f.Packs, func(a, b *pack) int { return cmp.Compare(b.size, a.size) })
	return nil
}

const (
	indexMagic  = "\xfftOc\x00\x00\x00\x02"
	fanOut      = int64(len(indexMagic))
	firstName   = fanOut + 256*4
	offsetLarge = 1 << 31 // the offset is in the table of 64-bit offsets
)

// open opens the pack; it returns false for a pack that cannot be read here.
func (p *pack) open() bool {
	if p.bad || p.data != nil {
		return !p.bad
	}
	p.bad = true
	var err error
	if p.index, err = os.Open(p.path + ".idx"); err != nil {
		return false
	}
	if p.data, err = os.Open(p.path + ".pack"); err != nil {
		p.close()
		return false
	}
	magic, last := make([]byte, len(indexMagic)), make([]byte, 4)
	_, err = p.index.ReadAt(magic, 0)
	_, err2 := p.index.ReadAt(last, firstName-4)
	fi, err3 := p.data.Stat()
	if err != nil || err2 != nil || err3 != nil || string(magic) != indexMagic {
		p.close()
		return false
	}
	p.count, p.size, p.bad = binary.BigEndian.Uint32(last), fi.Size(), false
	return true
}

func (p *pack) close() {
	for _, f := range []*os.File{p.index, p.data} {
		if f != nil {
			f.Close()
		}
	}
	p.index, p.data, p.bases = nil, nil, nil
}

// Find returns the offset of an object.
func (p *pack) Find(oid OID) (offset int64, ok bool) {
	if !p.open() {
		return 0, false
	}
	var ends [8]byte // the numbers of names up to the preceding first byte, and up to ours
	first := int64(oid.b[0])
	from := max(0, first-1)
	if _, err := p.index.ReadAt(ends[:4*(1+min(1, first))], fanOut+4*from); err != nil {
		return 0, false
	}
	low, high := binary.BigEndian.Uint32(ends[:]), binary.BigEndian.Uint32(ends[4:])
	if first == 0 {
		low, high = 0, low
	}
	if low > high || high > p.count {
		return 0, false
	}
	i, ok := p.search(oid.b[:20], int64(low), int64(high))
	if !ok {
		return 0, false
	}
	return p.offset(i)
}

// search finds a name in the range from low to high.
func (p *pack) search(name []byte, low, high int64) (i int64, ok bool) {
	const few = 256
	var mid [20]byte
	for high-low > few {
		m := (low + high) / 2
		if _, err := p.index.ReadAt(mid[:], firstName+20*m); err != nil {
			return 0, false
		}
		if bytes.Compare(mid[:], name) <= 0 {
			low = m
		} else {
			high = m
		}
	}
	names := make([]byte, 20*(high-low))
	if _, err := p.index.ReadAt(names, firstName+20*low); err != nil {
		return 0, false
	}
	n := int(high - low)
	k := sort.Search(n, func(k int) bool { return bytes.Compare(names[20*k:20*k+20], name) >= 0 })
	return low + int64(k), k < n && bytes.Equal(names[20*k:20*k+20], name)
}

// offset returns the offset of the i-th object of the index.
func (p *pack) offset(i int64) (int64, bool) {
	count := int64(p.count)
	var short [4]byte
	if _, err := p.index.ReadAt(short[:], firstName+24*count+4*i); err != nil {
		return 0, false
	}
	at := int64(binary.BigEndian.Uint32(short[:]))
	if at < offsetLarge {
		return at, true
	}
	var long [8]byte
	if _, err := p.index.ReadAt(long[:], firstName+28*count+8*(at-offsetLarge)); err != nil {
		return 0, false
	}
	at = int64(binary.BigEndian.Uint64(long[:]))
	return at, at >= 0
}
