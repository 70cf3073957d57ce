package object

import (
	"encoding/binary"
	"slices"
)

// The types of objects in a pack.
const (
	deltaByOffset = 6
	deltaByName   = 7
)

var packTypes = [8]string{1: "commit", 2: "tree", 3: "blob", 4: "tag"}

const (
	beginBytes    = 2 * binary.MaxVarintLen64 // the two sizes at a delta's beginning
	beginDeflated = 1 << 10                   // enough input to inflate beginBytes
)

// keptEvery is the number of deltas between two bases that are cached.
const keptEvery = 8

// entryHead bounds the length of the header of an object in a pack.
const entryHead = 64

// at reads the object at an offset. It first reads the headers of the chain of deltas, so
// that it inflates nothing for an object that is too large.
func (f *Files) at(p *pack, offset, limit int64) (Object, error) {
	var chain []packEntry // the deltas, beginning with that of the object itself
	base, kept := packEntry{}, packed{}
	for at := offset; ; {
		var known bool
		if kept, known = p.bases[at]; known {
			break
		}
		e, err := p.entry(at)
		if err != nil {
			return Object{}, err
		}
		if !e.isDelta() {
			base, kept.kind = e, packTypes[e.kind]
			break
		}
		if at, err = p.baseOf(e); err != nil || len(chain) > deltasMax {
			return Object{}, errNotNative
		}
		chain = append(chain, e)
	}
	if kept.kind == "" {
		return Object{}, errNotNative
	}
	if limit > 0 {
		size, err := max(base.size, int64(len(kept.data))), error(nil)
		if len(chain) > 0 {
			size, err = f.resultSize(p, chain[0])
		}
		if err != nil || size > limit {
			return Object{Type: kept.kind, Large: true}, err
		}
	}
	if kept.data == nil && base.size > 0 {
		kept.data = make([]byte, base.size)
		if err := f.body(p, base, kept.data); err != nil {
			return Object{}, err
		}
	}
	data, err := f.undelta(p, base.offset, kept, chain)
	return Object{Type: kept.kind, Data: data}, err
}

// undelta applies a chain of deltas to a base, which is at an offset unless it is cached.
// It caches bases that other objects may use: the object's own base, and one in every
// keptEvery before it. It reuses the memory of the others.
func (f *Files) undelta(p *pack, offset int64, base packed, chain []packEntry) ([]byte, error) {
	for i, e := range slices.Backward(chain) {
		again := offset > 0
		if again && i%keptEvery == 0 {
			p.keep(offset, base)
			again = false
		}
		f.delta = slices.Grow(f.delta[:0], int(e.size))[:e.size]
		if err := f.body(p, e, f.delta); err != nil {
			return nil, err
		}
		var room []byte
		if i > 0 {
			room, f.spare = f.spare, nil
		}
		out, ok := applyDelta(room, base.data, f.delta)
		if !ok {
			return nil, errNotNative
		}
		if again {
			f.spare = base.data[:0]
		}
		base.data, offset = out, e.offset
	}
	return base.data, nil
}

// keep caches the base of a delta for other objects.
func (p *pack) keep(offset int64, base packed) {
	if p.kept += len(base.data); p.kept > KeptMax {
		return
	}
	if p.bases == nil {
		p.bases = map[int64]packed{}
	}
	p.bases[offset] = base
}

// entry reads the header of the object at an offset.
func (p *pack) entry(offset int64) (packEntry, error) {
	if offset < 12 || offset >= p.size {
		return packEntry{}, errNotNative
	}
	var buf [entryHead]byte
	head := buf[:min(entryHead, p.size-offset)]
	if _, err := p.data.ReadAt(head, offset); err != nil {
		return packEntry{}, err
	}
	e, ok := parseEntry(head)
	if !ok || e.size > NativeMax {
		return packEntry{}, errNotNative
	}
	e.offset = offset
	return e, nil
}

// baseOf returns the offset of a delta's base.
func (p *pack) baseOf(e packEntry) (int64, error) {
	if e.kind == deltaByOffset {
		return e.offset - e.back, nil
	}
	at, ok := p.Find(e.base)
	if !ok {
		return 0, errNotNative
	}
	return at, nil
}

// resultSize returns the length of a delta's result: its second number.
func (f *Files) resultSize(p *pack, e packEntry) (int64, error) {
	var begin [beginBytes]byte
	got := begin[:min(e.size, int64(len(begin)))]
	if err := f.body(p, e, got); err != nil {
		return 0, err
	}
	_, size, _, ok := deltaSizes(got)
	if !ok {
		return 0, errNotNative
	}
	return size, nil
}

// body inflates the content of an entry, or as much as data has room for.
func (f *Files) body(p *pack, e packEntry, data []byte) error {
	from := e.offset + int64(e.n)
	most := e.size + e.size/8 + 64 // deflated content is almost never longer
	if int64(len(data)) < e.size {
		most = min(most, beginDeflated)
	}
	most = min(most, p.size-from)
	f.raw = slices.Grow(f.raw[:0], int(most))[:most]
	if _, err := p.data.ReadAt(f.raw, from); err != nil {
		return err
	}
	if n, err := f.inflate.into(data, f.raw); err != nil || n < len(data) {
		return errNotNative
	}
	return nil
}

// packEntry is the header of an object in a pack.
type packEntry struct {
	offset int64 // of the header

	kind int
	size int64
	back int64 // the distance back to the base
	base OID
	n    int // the header's length
}

func (e packEntry) isDelta() bool { return e.kind == deltaByOffset || e.kind == deltaByName }

func parseEntry(data []byte) (e packEntry, ok bool) {
	data = data[:min(len(data), entryHead)]
	if len(data) == 0 {
		return e, false
	}
	e.kind, e.size, e.n = int(data[0]>>4&7), int64(data[0]&15), 1
	for shift := 4; data[e.n-1]&0x80 != 0; shift += 7 {
		if e.n >= len(data) || shift > 40 {
			return e, false
		}
		e.size |= int64(data[e.n]&0x7f) << shift
		e.n++
	}
	switch e.kind {
	case deltaByOffset:
		for k := 0; ; k++ {
			if e.n >= len(data) || k > 8 {
				return e, false
			}
			b := data[e.n]
			e.n++
			e.back = e.back<<7 | int64(b&0x7f)
			if b&0x80 == 0 {
				break
			}
			e.back++
		}
		return e, e.back > 0
	case deltaByName:
		if len(data) < e.n+20 {
			return e, false
		}
		e.base = OIDFromBytes(data[e.n : e.n+20])
		e.n += 20
	}
	return e, true
}
