package seekable

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Reader reads the uncompressed content at any offset. It keeps two frames in memory and may be used
// by several goroutines.
type Reader struct {
	in   io.ReaderAt
	list []entry
	at   []int64 // offset of each frame in the file
	from []int64 // offset of each frame's content; one more than there are frames
	note []byte

	mu  sync.Mutex
	dec *zstd.Decoder
	hot [2]frame // last used first
}

// A frame is an uncompressed frame.
type frame struct {
	number int
	data   []byte // nil: none
}

// NewReader reads the table of a file of size bytes.
func NewReader(in io.ReaderAt, size int64) (*Reader, error) {
	r := &Reader{in: in}
	if err := r.readTable(size); err != nil {
		return nil, err
	}
	last := len(r.list) - 1
	if last >= 0 && r.list[last].plain == 0 {
		note, err := r.raw(last)
		if err != nil {
			return nil, err
		}
		word := func(i int) uint32 { return binary.LittleEndian.Uint32(note[i:]) }
		r.note = note[noteHead:]
		if word(0) != skipMagic || int(word(4)) != len(note)-skipHead || word(skipHead) != crc32.ChecksumIEEE(r.note) {
			return nil, fmt.Errorf("%w: its note is none", ErrDamaged)
		}
	}
	return r, nil
}

func (r *Reader) readTable(size int64) error {
	if size < skipHead+footSize {
		return fmt.Errorf("%w: it has only %d bytes", ErrDamaged, size)
	}
	foot, err := r.bytes(size-footSize, footSize)
	if err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(foot))
	length := n*entrySize + footSize
	if binary.LittleEndian.Uint32(foot[5:]) != footMagic || foot[4] != 0 || skipHead+length > size {
		return fmt.Errorf("%w: it does not end with a table", ErrDamaged)
	}
	table, err := r.bytes(size-length-skipHead, skipHead+length)
	if err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(table) != tableMagic || int64(binary.LittleEndian.Uint32(table[4:])) != length {
		return fmt.Errorf("%w: it does not end with a table", ErrDamaged)
	}
	return r.setTable(table[skipHead:skipHead+n*entrySize], size-length-skipHead)
}

// setTable reads the entries. They must account for everything before the table.
func (r *Reader) setTable(entries []byte, end int64) error {
	n := len(entries) / entrySize
	r.list, r.at, r.from = make([]entry, n), make([]int64, n), make([]int64, n+1)
	var at int64
	for i := range n {
		e := entry{binary.LittleEndian.Uint32(entries[i*entrySize:]), binary.LittleEndian.Uint32(entries[i*entrySize+4:])}
		isNote := e.plain == 0 && i == n-1 && e.packed > noteHead && e.packed <= noteHead+maxNote
		if !isNote && (e.plain == 0 || e.plain > maxFrame || e.packed > maxFrame+maxFrame/8) {
			return fmt.Errorf("%w: frame %d has %d bytes for %d", ErrDamaged, i, e.packed, e.plain)
		}
		r.list[i], r.at[i] = e, at
		at += int64(e.packed)
		r.from[i+1] = r.from[i] + int64(e.plain)
	}
	if at != end {
		return fmt.Errorf("%w: its table accounts for %d of %d bytes", ErrDamaged, at, end)
	}
	return nil
}

// bytes reads bytes of the file. It is an error if they are missing.
func (r *Reader) bytes(at, n int64) ([]byte, error) {
	buf := make([]byte, n)
	if got, err := r.in.ReadAt(buf, at); int64(got) < n {
		if err == io.EOF {
			err = fmt.Errorf("%w: it is shorter than it was", ErrDamaged)
		}
		return nil, err
	}
	return buf, nil
}

// raw returns a compressed frame.
func (r *Reader) raw(i int) ([]byte, error) { return r.bytes(r.at[i], int64(r.list[i].packed)) }

// Size returns the size of the content in bytes.
func (r *Reader) Size() int64 { return r.from[len(r.list)] }

// Note returns the note that was passed to Close. It must not be changed.
func (r *Reader) Note() []byte { return r.note }

// ReadAt implements io.ReaderAt.
func (r *Reader) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("read at %d", off)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for n < len(p) {
		if off >= r.Size() {
			return n, io.EOF
		}
		i, found := slices.BinarySearch(r.from, off)
		if !found {
			i--
		}
		data, err := r.frame(i)
		if err != nil {
			return n, err
		}
		k := copy(p[n:], data[off-r.from[i]:])
		n, off = n+k, off+int64(k)
	}
	return n, nil
}

// frame returns the content of a frame. It is valid until the next call but one.
func (r *Reader) frame(i int) ([]byte, error) {
	if r.hot[1].data != nil && r.hot[1].number == i {
		r.hot[0], r.hot[1] = r.hot[1], r.hot[0]
	}
	if r.hot[0].data != nil && r.hot[0].number == i {
		return r.hot[0].data, nil
	}
	packed, err := r.raw(i)
	if err != nil {
		return nil, err
	}
	if r.dec == nil {
		if r.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxFrame)); err != nil {
			return nil, err
		}
	}
	room := r.hot[1].data
	r.hot[0], r.hot[1] = frame{}, r.hot[0]
	if cap(room) < int(r.list[i].plain) {
		room = make([]byte, 0, r.list[i].plain)
	}
	data, err := r.dec.DecodeAll(packed, room[:0])
	if err == nil && len(data) != int(r.list[i].plain) {
		err = fmt.Errorf("it holds %d bytes, not %d", len(data), r.list[i].plain)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: frame %d: %w", ErrDamaged, i, err)
	}
	r.hot[0] = frame{i, data}
	return data, nil
}
