package session

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"

	"entire/id"
)

// The index file consists of indexMagic, the CRC-32 (IEEE) of the rest in four bytes, least
// significant first, and the rest: the time it was begun, a table of strings, and a record for
// each state file. Numbers are varints. It is a cache that only this program uses: if anything
// in it is wrong, it is rewritten.
const indexMagic = "entire sessions index 2\n"

// An index holds what was read from the state files, and when.
type index struct {
	begun   int64    // the file system's clock before the first state was read, in ns
	records []record // in ascending order of stem
}

// A record is one state file as the index knows it.
type record struct {
	stem    string // the file's name without .json
	stamp   stamp
	usable  bool // false if the file is not a state; summary is then empty
	summary Summary
}

// A stamp changes when a file does, except within one tick of the file system's clock.
type stamp struct {
	size, mtime, ctime int64 // times in ns; ctime is 0 on systems without one
	inode              uint64
	regular            bool
}

// errIndex is wrapped in errors that are only about the index, never about a state.
var errIndex = errors.New("session index")

func (x index) encode() []byte {
	e := encoder{table: map[string]uint64{}}
	for _, r := range x.records {
		e.record(r)
	}
	return e.seal(indexMagic, x.begun, len(x.records))
}

// seal returns the complete file with the n encoded records.
func (e *encoder) seal(magic string, begun int64, n int) []byte {
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

type encoder struct {
	table   map[string]uint64 // index of each string in strings
	strings []string
	records []byte
}

func (e *encoder) record(r record) {
	e.text(r.stem)
	e.stamp(r.stamp)
	e.flag(r.usable)
	if !r.usable {
		return
	}
	s := r.summary
	for _, v := range []string{s.WorktreePath, s.WorktreeID, string(s.Phase), s.BaseCommit, s.LastCheckpointID.String(), s.Files} {
		e.text(v)
	}
	for _, v := range []int{s.FilesTouched, s.CheckpointCount, s.TurnCheckpointIDs} {
		e.int(int64(v))
	}
	for _, v := range []time.Time{s.StartedAt, s.EndedAt, s.LastInteraction} {
		e.time(v)
	}
}

func (e *encoder) int(v int64)   { e.records = binary.AppendVarint(e.records, v) }
func (e *encoder) uint(v uint64) { e.records = binary.AppendUvarint(e.records, v) }

func (e *encoder) flag(v bool) {
	if v {
		e.uint(1)
	} else {
		e.uint(0)
	}
}

func (e *encoder) stamp(s stamp) {
	e.int(s.size)
	e.int(s.mtime)
	e.int(s.ctime)
	e.uint(s.inode)
	e.flag(s.regular)
}

func (e *encoder) time(t time.Time) {
	e.int(t.Unix())
	e.int(int64(t.Nanosecond()))
}

func (e *encoder) text(s string) {
	at, ok := e.table[s]
	if !ok {
		at = uint64(len(e.strings))
		e.table[s] = at
		e.strings = append(e.strings, s)
	}
	e.uint(at)
}

// decodeIndex reads what encode wrote. The result shares no memory with data.
func decodeIndex(data []byte) (index, error) {
	body, err := unseal(data, indexMagic)
	if err != nil {
		return index{}, err
	}
	return decodeBody(body)
}

// unseal checks the magic and the checksum of a file and returns a copy of the rest.
func unseal(data []byte, magic string) (string, error) {
	head := len(magic)
	if len(data) < head+4 || string(data[:head]) != magic {
		return "", errIndex
	}
	body := data[head+4:]
	if binary.LittleEndian.Uint32(data[head:]) != crc32.ChecksumIEEE(body) {
		return "", errIndex
	}
	return string(body), nil
}

func decodeBody(body string) (index, error) {
	d := decoder{rest: body}
	x := index{begun: d.int()}
	d.table()
	x.records = make([]record, d.length())
	for i := range x.records {
		d.record(&x.records[i])
		if i > 0 && x.records[i].stem <= x.records[i-1].stem {
			d.fail()
		}
	}
	if d.bad || d.rest != "" {
		return index{}, errIndex
	}
	return x, nil
}

// A decoder continues after an error and returns zeros; bad then reports the error at the end.
type decoder struct {
	rest    string
	strings []string
	bad     bool
}

func (d *decoder) record(r *record) {
	r.stem = d.text()
	r.stamp = d.stamp()
	r.usable = d.flag()
	if !r.usable || d.bad {
		return
	}
	s := &r.summary
	s.ID = d.session(r.stem)
	s.WorktreePath, s.WorktreeID = d.text(), d.text()
	s.Phase, s.BaseCommit = ParsePhase(d.text()), d.text()
	s.LastCheckpointID = d.checkpoint()
	s.Files = d.text()
	s.FilesTouched, s.CheckpointCount, s.TurnCheckpointIDs = int(d.int()), int(d.int()), int(d.int())
	s.StartedAt, s.EndedAt, s.LastInteraction = d.time(), d.time(), d.time()
}

// table reads the strings that text refers to.
func (d *decoder) table() {
	d.strings = make([]string, 0, d.length())
	for range cap(d.strings) {
		n := d.length()
		d.strings = append(d.strings, d.rest[:n])
		d.rest = d.rest[n:]
	}
}

func (d *decoder) fail() { d.bad, d.rest = true, "" }

func (d *decoder) uint() uint64 {
	var v uint64
	for i := 0; i < len(d.rest) && i < binary.MaxVarintLen64; i++ {
		b := d.rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			d.rest = d.rest[i+1:]
			return v
		}
	}
	d.fail()
	return 0
}

func (d *decoder) int() int64 {
	v := d.uint()
	return int64(v>>1) ^ -int64(v&1)
}

func (d *decoder) flag() bool { return d.uint() != 0 }

// length reads a number of bytes, or of items that take at least one byte each.
func (d *decoder) length() int {
	n := d.uint()
	if n > uint64(len(d.rest)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) text() string {
	at := d.uint()
	if at >= uint64(len(d.strings)) {
		d.fail()
		return ""
	}
	return d.strings[at]
}

func (d *decoder) session(stem string) id.SessionID {
	sid, err := id.ParseSessionID(stem)
	if err != nil {
		d.fail()
	}
	return sid
}

func (d *decoder) checkpoint() id.CheckpointID {
	text := d.text()
	if text == "" {
		return id.CheckpointID{}
	}
	c, err := id.NewCheckpointID(text)
	if err != nil {
		d.fail()
	}
	return c
}

func (d *decoder) time() time.Time { return time.Unix(d.int(), d.int()).UTC() }

func (d *decoder) stamp() stamp {
	return stamp{size: d.int(), mtime: d.int(), ctime: d.int(), inode: d.uint(), regular: d.flag()}
}
