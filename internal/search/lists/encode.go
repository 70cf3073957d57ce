package lists

import (
	"database/sql"
	"encoding/binary"
)

// blockDocs is how many documents a block of a list has, except the last.
const blockDocs = 128

// A spot is where a word stands in a document: its column, then its position there. The next word of the same
// column has the next number.
type spot = uint32

const (
	columnAt = 20 // bit of a spot at which the column begins
	spotsMax = 1<<columnAt - 1
)

// A tally says how often a word stands in a column.
type tally struct{ column, count int }

// appendTallies returns how often each column is in spots, which are in order.
func appendTallies(out []tally, spots []spot) []tally {
	for i := 0; i < len(spots); {
		column, n := spots[i]>>columnAt, 1
		for i+n < len(spots) && spots[i+n]>>columnAt == column {
			n++
		}
		out = append(out, tally{int(column), n})
		i += n
	}
	return out
}

// An encoder writes the lists and the dictionary of one part. Keys come in order, and so do the documents of
// a key.
type encoder struct {
	part      int64
	put, dict *sql.Stmt
	lists     []byte // not yet written
	written   int    // rows
	entries   []byte
	first     string // key of entries
	last      string
	err       error
	list      list
}

// A list is the list that is being written.
type list struct {
	key                string
	docs               int
	table, ords, spots []byte
	codes              []byte // of the block: how often each document has the word, and where
	before, blockLast  uint32 // last documents, of the list and of the block before
	blockOrds          int    // where the block begins
	blockSpots         int
}

func newEncoder(tx *sql.Tx, number int64) (e *encoder, err error) {
	e = &encoder{part: number}
	if e.put, err = tx.Prepare("INSERT INTO block(id, data) VALUES(?, ?)"); err == nil {
		e.dict, err = tx.Prepare("INSERT INTO dict(part, first, data) VALUES(?, ?, ?)")
	}
	return e, err
}

// begin begins the list of a key.
func (e *encoder) begin(key string) {
	l := &e.list
	*l = list{key: key, table: l.table[:0], ords: l.ords[:0], spots: l.spots[:0], codes: l.codes[:0]}
}

// Add adds a document to the list, with its spots or, for a list of first letters, without.
func (e *encoder) Add(doc uint32, tallies []tally, spots []spot) {
	l := &e.list
	if l.docs > 0 && l.docs%blockDocs == 0 {
		l.endBlock()
		l.tableBlock()
	}
	l.ords = binary.AppendUvarint(l.ords, uint64(doc-l.before))
	for i, t := range tallies {
		more := 0
		if i+1 < len(tallies) {
			more = 1
		}
		l.codes = binary.AppendUvarint(l.codes, uint64(t.count<<4|t.column<<1|more))
	}
	before := spot(0)
	for _, s := range spots {
		if s>>columnAt != before>>columnAt {
			before = s >> columnAt << columnAt
		}
		l.spots = binary.AppendUvarint(l.spots, uint64(s-before))
		before = s
	}
	l.before = doc
	l.docs++
}

// endBlock puts the codes after the documents of the block.
func (l *list) endBlock() {
	l.ords = append(l.ords, l.codes...)
	l.codes = l.codes[:0]
}

// tableBlock adds the block to the table.
func (l *list) tableBlock() {
	l.table = binary.AppendUvarint(l.table, uint64(l.before-l.blockLast))
	l.table = binary.AppendUvarint(l.table, uint64(len(l.ords)-l.blockOrds))
	l.table = binary.AppendUvarint(l.table, uint64(len(l.spots)-l.blockSpots))
	l.blockLast, l.blockOrds, l.blockSpots = l.before, len(l.ords), len(l.spots)
}

// end ends the list. A list of one block has no table; one without documents is left out.
func (e *encoder) end() {
	l := &e.list
	if l.docs == 0 || e.err != nil {
		return
	}
	l.endBlock()
	if len(l.table) > 0 {
		l.tableBlock()
	}
	if len(e.entries) == 0 {
		e.first, e.last = l.key, ""
		e.entries = binary.AppendUvarint(e.entries, uint64(e.written*listBytes+len(e.lists)))
	}
	shared := 0
	for shared < min(len(e.last), len(l.key)) && e.last[shared] == l.key[shared] {
		shared++
	}
	for _, n := range []int{shared, len(l.key) - shared} {
		e.entries = binary.AppendUvarint(e.entries, uint64(n))
	}
	e.entries = append(e.entries, l.key[shared:]...)
	for _, n := range []int{l.docs, len(l.table), len(l.ords), len(l.spots)} {
		e.entries = binary.AppendUvarint(e.entries, uint64(n))
	}
	e.last = l.key
	e.lists = append(append(append(e.lists, l.table...), l.ords...), l.spots...)
	from := 0
	for ; len(e.lists)-from >= listBytes; from += listBytes {
		e.putRow(rowLists, e.written, e.lists[from:from+listBytes])
		e.written++
	}
	e.lists = e.lists[:copy(e.lists, e.lists[from:])]
	if len(e.entries) >= dictBytes {
		e.endEntries()
	}
}

func (e *encoder) endEntries() {
	if len(e.entries) > 0 && e.err == nil {
		_, e.err = e.dict.Exec(e.part, e.first, e.entries)
	}
	e.entries = e.entries[:0]
}

func (e *encoder) putRow(kind, n int, data []byte) {
	if e.err == nil {
		_, e.err = e.put.Exec(rowOf(e.part, kind, n), data)
	}
}

// A docRow is what a part knows of a document.
type docRow struct {
	Place
	at, text int64
}

// finish writes what is left and the documents, the newest first.
func (e *encoder) finish(docs []docRow) error {
	e.endEntries()
	if len(e.lists) > 0 {
		e.putRow(rowLists, e.written, e.lists)
	}
	for n := 0; n*docsInRow < len(docs); n++ {
		some := docs[n*docsInRow : min((n+1)*docsInRow, len(docs))]
		var places, times, texts []byte
		for _, d := range some {
			places = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(places, uint64(d.ID)), uint32(d.Words))
			times = binary.LittleEndian.AppendUint64(times, uint64(d.at))
			texts = binary.LittleEndian.AppendUint64(texts, uint64(d.text))
		}
		e.putRow(rowPlaces, n, places)
		e.putRow(RowTimes, n, times)
		e.putRow(RowTexts, n, texts)
	}
	return e.err
}
