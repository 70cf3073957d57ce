package lists

import (
	"math"
	"sort"
)

// None is no document.
const None uint32 = math.MaxUint32

// A Walker goes through the documents of a part that match something, the newest first.
type Walker interface {
	// Seek goes to the first match that is not before a document, and returns it; None at the end. It never
	// goes back.
	Seek(from uint32) (uint32, error)
	// Size is at least how many documents match.
	Size() int
}

// A Leaf is a walker of a word, a phrase or the beginning of a word.
type Leaf interface {
	Walker
	// Weight returns how often the match of the last seek is in the document, in weighted columns.
	Weight() (float64, error)
}

// Nothing is a leaf without matches.
type Nothing struct{}

func (Nothing) Seek(uint32) (uint32, error) { return None, nil }
func (Nothing) Size() int                   { return 0 }
func (Nothing) Weight() (float64, error)    { return 0, nil }

// A stretch is a block of a list: its last document, and where its bytes end.
type stretch struct {
	last        uint32
	ords, spots int
}

// A Cursor is a leaf that goes through the list of one word. It reads the list block by block.
type Cursor struct {
	Rows    *Rows
	Part    *Part
	Entry   Entry
	columns int  // only matches in these columns count
	every   bool // the list has matches in no others

	blocks []stretch
	block  int // the block that was read; -1 for none
	docs   []uint32
	at     []int // where each of docs stands in the block; unused if every is set
	i      int   // index in docs of the present document
	coded  []byte
	memory [blockDocs]uint32

	codesOf int // the number of the block that scores, from, codes and coding describe; -1 for none
	scores  []float64
	from    []int // for each document of the block: the spots before its own; at the end the number of all spots
	codes   []int // how often each document has the word in which column, as stored
	coding  []int // for each document: where its codes begin in codes; at the end len(codes)
	spotsOf int   // the number of the block whose spots are in stored; -1 for none
	stored  []byte
	passed  int // spots of stored that were read or skipped
	next    int // where the next spot begins in stored
	spots   []spot
}

// NewCursor returns a cursor before the first document of a list.
func NewCursor(r *Rows, p *Part, e Entry, v View) (*Cursor, error) {
	c := &Cursor{Rows: r, Part: p, Entry: e, columns: v.Columns, every: v.every(), block: -1, codesOf: -1, spotsOf: -1}
	if e.table == 0 {
		if e.Docs > blockDocs {
			return nil, ErrDamaged
		}
		c.blocks = []stretch{{None - 1, e.ords, e.spots}}
		return c, nil
	}
	data, err := r.bytes(p, e.offset, e.table)
	if err != nil {
		return nil, err
	}
	in, at := reading{data: data}, stretch{}
	for len(in.data) > 0 {
		at.last += uint32(in.number())
		at.ords += in.number()
		at.spots += in.number()
		c.blocks = append(c.blocks, at)
	}
	if in.bad || at.ords != e.ords || at.spots != e.spots || len(c.blocks) != (e.Docs+blockDocs-1)/blockDocs {
		return nil, ErrDamaged
	}
	return c, nil
}

func (c *Cursor) Size() int { return c.Entry.Docs }

func (c *Cursor) Seek(from uint32) (uint32, error) {
	for {
		if c.block >= 0 && c.block < len(c.blocks) {
			for ; c.i < len(c.docs); c.i++ {
				if c.docs[c.i] >= from {
					return c.docs[c.i], nil
				}
			}
		}
		next := c.block + 1
		if next < len(c.blocks) && c.blocks[next].last < from {
			next += sort.Search(len(c.blocks)-next, func(i int) bool { return c.blocks[next+i].last >= from })
		}
		c.block = next
		if next >= len(c.blocks) {
			c.docs, c.i = nil, 0
			return None, nil
		}
		if err := c.read(next); err != nil {
			return None, err
		}
	}
}

// span returns where a block's documents and spots begin and how many bytes they have.
func (c *Cursor) span(block int) (base uint32, ords, ordsLen, spots, spotsLen int) {
	before := stretch{}
	if block > 0 {
		before = c.blocks[block-1]
	}
	b := c.blocks[block]
	return before.last, before.ords, b.ords - before.ords, before.spots, b.spots - before.spots
}

// read reads the documents of a block that have the word in the columns.
func (c *Cursor) read(block int) error {
	doc, at, n, _, _ := c.span(block)
	data, err := c.Rows.bytes(c.Part, c.Entry.offset+int64(c.Entry.table+at), n)
	if err != nil {
		return err
	}
	docs, i := c.memory[:min(c.Entry.Docs-block*blockDocs, blockDocs)], 0
	for k := range docs {
		var delta int
		delta, i = number(data, i)
		doc += uint32(delta)
		docs[k] = doc
	}
	if i > len(data) || doc >= uint32(c.Part.Docs) {
		return ErrDamaged
	}
	c.docs, c.coded, c.i = docs, data[i:], 0
	if c.every {
		return nil
	}
	if err := c.readCodes(); err != nil {
		return err
	}
	kept := docs[:0]
	c.at = c.at[:0]
	for k, doc := range docs {
		if c.scores[k] > 0 {
			kept, c.at = append(kept, doc), append(c.at, k)
		}
	}
	c.docs = kept
	return nil
}

// readCodes reads how often the documents of the block have the word.
func (c *Cursor) readCodes() error {
	_, _, _, _, spots := c.span(c.block)
	n := min(c.Entry.Docs-c.block*blockDocs, blockDocs)
	coded, codes := c.coded, c.codes[:0]
	scores, from, coding := append(c.scores[:0], make([]float64, n)...), append(c.from[:0], make([]int, n+1)...), append(c.coding[:0], make([]int, n+1)...)
	weights := Weights
	for column := range weights {
		if c.columns&(1<<column) == 0 {
			weights[column] = 0
		}
	}
	sum, i := 0, 0
	for k := range n {
		for more := true; more; {
			var code int
			code, i = number(coded, i)
			column := code >> 1 & 7
			if more = code&1 == 1; column >= Columns || i > len(coded) {
				return ErrDamaged
			}
			sum += code >> 4
			codes = append(codes, code)
			scores[k] += weights[column] * float64(code>>4)
		}
		from[k+1], coding[k+1] = sum, len(codes)
	}
	if i != len(coded) || c.Entry.spots > 0 && sum > spots {
		return ErrDamaged
	}
	c.scores, c.from, c.coding, c.codes = scores, from, coding, codes
	c.codesOf = c.block
	return nil
}

// placeAt returns the place of the document of the last seek in the block.
func (c *Cursor) placeAt() (int, error) {
	if c.codesOf != c.block {
		if err := c.readCodes(); err != nil {
			return 0, err
		}
	}
	if c.every {
		return c.i, nil
	}
	return c.at[c.i], nil
}

func (c *Cursor) Weight() (float64, error) {
	k, err := c.placeAt()
	if err != nil {
		return 0, err
	}
	return c.scores[k], nil
}

// places returns where the word stands in the document of the last seek. The next call overwrites the list.
func (c *Cursor) places() ([]spot, error) {
	k, err := c.placeAt()
	if err == nil && (c.spotsOf != c.block || c.from[k] < c.passed) {
		err = c.beginSpots()
	}
	if err != nil {
		return nil, err
	}
	if c.next = skip(c.stored, c.next, c.from[k]-c.passed); c.next > len(c.stored) {
		return nil, ErrDamaged
	}
	c.passed, c.spots = c.from[k+1], c.spots[:0]
	// The spots are stored as distances within a document's column.
	for _, code := range c.codes[c.coding[k]:c.coding[k+1]] {
		s := spot(code>>1&7) << columnAt
		for range code >> 4 {
			var delta int
			if delta, c.next = number(c.stored, c.next); c.next > len(c.stored) {
				return nil, ErrDamaged
			}
			s += spot(delta)
			c.spots = append(c.spots, s)
		}
	}
	return c.spots, nil
}

// beginSpots goes to the first spot of the block.
func (c *Cursor) beginSpots() (err error) {
	_, _, _, at, n := c.span(c.block)
	c.stored, err = c.Rows.bytes(c.Part, c.Entry.offset+int64(c.Entry.table+c.Entry.ords+at), n)
	c.passed, c.next, c.spotsOf = 0, 0, c.block
	if err != nil {
		c.spotsOf = -1
	}
	return err
}
