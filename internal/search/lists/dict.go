package lists

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"math/bits"
)

// An Entry of a dictionary says where the list of a key is: a table of its blocks, then their documents, then
// the positions.
type Entry struct {
	Docs               int // with the key
	offset             int64
	table, ords, spots int // bytes
}

// dictBytes is how many bytes of entries a row of table dict has at least, except the last.
const dictBytes = 4 << 10

// A dictReader reads the entries of a row of table dict. Each begins with the part of the key that is new.
type dictReader struct {
	in     reading
	key    []byte
	entry  Entry
	offset int64
}

func readDict(data []byte) *dictReader {
	d := &dictReader{in: reading{data: data}}
	d.offset = int64(d.in.number())
	return d
}

// next reads the next entry. It returns false at the end, or if the row is damaged.
func (d *dictReader) next() bool {
	if len(d.in.data) == 0 || d.in.bad {
		return false
	}
	shared, rest := d.in.number(), d.in.number()
	if d.in.bad || shared > len(d.key) || rest > len(d.in.data) {
		d.in.bad = true
		return false
	}
	d.key = append(d.key[:shared], d.in.data[:rest]...)
	d.in.data = d.in.data[rest:]
	d.entry = Entry{Docs: d.in.number(), offset: d.offset, table: d.in.number(), ords: d.in.number(), spots: d.in.number()}
	d.offset += int64(d.entry.table) + int64(d.entry.ords) + int64(d.entry.spots)
	return !d.in.bad
}

// Find returns the entry of a key in a part; docs is 0 if it has none.
func (r *Rows) Find(p *Part, key string) (Entry, error) {
	_, data, err := r.dictRow(r.before, p, key)
	if data == nil || err != nil {
		return Entry{}, err
	}
	d := readDict(data)
	for d.next() {
		if string(d.key) == key {
			return d.entry, nil
		}
		if string(d.key) > key {
			break
		}
	}
	if d.in.bad {
		return Entry{}, ErrDamaged
	}
	return Entry{}, nil
}

// dictRow returns the row of table dict that a statement finds, nil for none.
func (r *Rows) dictRow(by *sql.Stmt, p *Part, key string) (first string, data []byte, err error) {
	err = by.QueryRow(p.Number, key).Scan(&first, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil, nil
	}
	return first, data, err
}

// Each calls do for the entries whose keys begin with a text, in order, until it returns false. A
// key is valid until do returns.
func (r *Rows) Each(p *Part, begin string, do func(key []byte, e Entry) bool) error {
	first, data, err := r.dictRow(r.before, p, begin)
	if err == nil && data == nil {
		first, data, err = r.dictRow(r.after, p, begin)
	}
	for ; err == nil && data != nil; first, data, err = r.dictRow(r.after, p, first) {
		d := readDict(data)
		for d.next() {
			switch {
			case len(d.key) >= len(begin) && string(d.key[:len(begin)]) == begin:
				if !do(d.key, d.entry) {
					return nil
				}
			case string(d.key) > begin:
				return nil
			}
		}
		if d.in.bad {
			return ErrDamaged
		}
	}
	return err
}

// A reading reads numbers from bytes.
type reading struct {
	data []byte
	bad  bool // they cannot be what was written
}

// number reads a number below 1<<40. It returns 0 if there is none.
func (r *reading) number() int {
	n, next := number(r.data, 0)
	if next > len(r.data) {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[next:]
	return n
}

// number reads the number below 1<<40 at i. If there is none, next is more than the length of data.
func number(data []byte, i int) (n, next int) {
	if i < len(data) && data[i] < 0x80 {
		return int(data[i]), i + 1
	}
	return longNumber(data, i)
}

func longNumber(data []byte, i int) (n, next int) {
	if i < len(data) {
		if n, size := binary.Uvarint(data[i:]); size > 0 && n < 1<<40 {
			return int(n), i + size
		}
	}
	return 0, len(data) + 1
}

// skip steps over n numbers from i on, and returns where the next one begins. If there are fewer numbers, it returns
// more than the length of data.
func skip(data []byte, i, n int) int {
	const continues = 0x8080808080808080
	for ; n >= 8 && i+8 <= len(data); i += 8 {
		n -= bits.OnesCount64(^binary.LittleEndian.Uint64(data[i:]) & continues)
	}
	for n > 0 && i < len(data) {
		if data[i] < 0x80 {
			n--
		}
		i++
	}
	if n > 0 {
		return len(data) + 1
	}
	return i
}
