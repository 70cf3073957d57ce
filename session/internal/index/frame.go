package index

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"

	"entire/id"
	"entire/session/internal/layout"
)

const (
	// RacyWindow bounds the age at which a file, when it is read, may still change without a
	// new stamp.
	RacyWindow = 20 * time.Millisecond
	// RewriteAbove is how many files each call may read before writing the index is cheaper.
	RewriteAbove = 8
)

// ErrIndex is wrapped in errors that are only about the index, never about a state.
var ErrIndex = errors.New("session index")

// Seal returns the complete file with the n encoded records.
func (e *Encoder) Seal(magic string, begun int64, n int) []byte {
	body := binary.AppendVarint(nil, begun)
	body = binary.AppendUvarint(body, uint64(len(e.strings)))
	for _, s := range e.strings {
		body = binary.AppendUvarint(body, uint64(len(s)))
		body = append(body, s...)
	}
	body = binary.AppendUvarint(body, uint64(n))
	body = append(body, e.records...)
	out := append([]byte(nil), magic...)
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
	return append(out, body...)
}

// Sum returns the checksum of a file that Seal returned.
func Sum(file []byte, magic string) uint32 { return binary.LittleEndian.Uint32(file[len(magic):]) }

// An Encoder writes the entries of an index file and collects their strings.
type Encoder struct {
	Table   map[string]uint64 // index of each string in strings
	strings []string
	records []byte
}

func (e *Encoder) Int(v int64) { e.records = binary.AppendVarint(e.records, v) }

func (e *Encoder) uint(v uint64) { e.records = binary.AppendUvarint(e.records, v) }

func (e *Encoder) Flag(v bool) {
	if v {
		e.uint(1)
	} else {
		e.uint(0)
	}
}

func (e *Encoder) Stamp(s layout.Stamp) {
	e.Int(s.Size)
	e.Int(s.Mtime)
	e.Int(s.Ctime)
	e.uint(s.Inode)
	e.Flag(s.Regular)
}

func (e *Encoder) Time(t time.Time) {
	e.Int(t.Unix())
	e.Int(int64(t.Nanosecond()))
}

func (e *Encoder) Text(s string) {
	at, ok := e.Table[s]
	if !ok {
		at = uint64(len(e.strings))
		e.Table[s] = at
		e.strings = append(e.strings, s)
	}
	e.uint(at)
}

// Decode reads what Seal returned: when it was begun, and the entries, which each reads. They stand in
// ascending order of name. The result shares no memory with data.
func Decode[T any](data []byte, magic string, each func(*Decoder, *T), name func(*T) string) (begun int64, list []T, err error) {
	head := len(magic)
	if len(data) < head+4 || string(data[:head]) != magic {
		return 0, nil, ErrIndex
	}
	body := data[head+4:]
	if binary.LittleEndian.Uint32(data[head:]) != crc32.ChecksumIEEE(body) {
		return 0, nil, ErrIndex
	}
	d := Decoder{rest: string(body)}
	begun = d.Int()
	d.table()
	list = make([]T, d.Length())
	for i := range list {
		each(&d, &list[i])
		if i > 0 && name(&list[i]) <= name(&list[i-1]) {
			d.fail()
		}
	}
	if d.Bad || d.rest != "" {
		return 0, nil, ErrIndex
	}
	return begun, list, nil
}

// A Decoder continues after an error and returns zeros; bad then reports the error at the end.
type Decoder struct {
	rest    string
	strings []string
	Bad     bool
}

// table reads the strings that text refers to.
func (d *Decoder) table() {
	d.strings = make([]string, 0, d.Length())
	for range cap(d.strings) {
		n := d.Length()
		d.strings = append(d.strings, d.rest[:n])
		d.rest = d.rest[n:]
	}
}

func (d *Decoder) fail() { d.Bad, d.rest = true, "" }

func (d *Decoder) uint() uint64 {
	var v uint64
	rest := d.rest
	for i := 0; i < len(rest) && i < binary.MaxVarintLen64; i++ {
		b := rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			d.rest = rest[i+1:]
			return v
		}
	}
	d.fail()
	return 0
}

func (d *Decoder) Int() int64 {
	v := d.uint()
	return int64(v>>1) ^ -int64(v&1)
}

func (d *Decoder) Flag() bool { return d.uint() != 0 }

// Length reads a number of bytes, or of items that take at least one byte each.
func (d *Decoder) Length() int {
	n := d.uint()
	if n > uint64(len(d.rest)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *Decoder) Text() string {
	at := d.uint()
	if at >= uint64(len(d.strings)) {
		d.fail()
		return ""
	}
	return d.strings[at]
}

func (d *Decoder) Session(stem string) id.SessionID {
	sid, err := id.ParseSessionID(stem)
	if err != nil {
		d.fail()
	}
	return sid
}

func (d *Decoder) Checkpoint() id.CheckpointID {
	text := d.Text()
	if text == "" {
		return id.CheckpointID{}
	}
	c, err := id.NewCheckpointID(text)
	if err != nil {
		d.fail()
	}
	return c
}

func (d *Decoder) Time() time.Time { return time.Unix(d.Int(), d.Int()).UTC() }

func (d *Decoder) Stamp() layout.Stamp {
	return layout.Stamp{Size: d.Int(), Mtime: d.Int(), Ctime: d.Int(), Inode: d.uint(), Regular: d.Flag()}
}
