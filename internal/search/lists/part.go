package lists

import (
	"database/sql"
	"encoding/binary"
	"errors"
)

// A Part is a piece of the text index that is written once and never changed. It has the documents of one
// stretch of indexing, the newest first: document 0 is the last that was added. A part of a higher number is
// newer. Small parts that follow each other are merged.
//
// For each word a part has a list of the documents with it. The lists stand one after another in rows of
// table block; table dict has the words in order, with the number of documents and the place of the list.
// There are three more lists of a kind, under keys that no word begins with: of each word in titles, prompts
// and file names alone, which a search of a frequent word compares in full, and of the first three letters of
// words, which a search begins with while somebody types.
type Part struct {
	Number int64
	Docs   int
	words  int64
}

// The first byte of keys that are not words.
const (
	keyTelling       = "\x01" // a word in titles, prompts and file names
	keyPrefix        = "\x02" // the first letters of words
	keyTellingPrefix = "\x03"
)

// PrefixLetters is how many first letters a list is for; shorter words have a list of their own.
const PrefixLetters = 3

// The kinds of rows in table block. A row's ID is the part's number, its kind and a number from 0.
const (
	rowLists  = iota // listBytes of the lists
	rowPlaces        // docsInRow documents: rowid and number of words
	RowTimes         // docsInRow documents: time
	RowTexts         // docsInRow documents: fingerprint of the text
)

const (
	listBytes  = 16 << 10
	docsInRow  = 4096
	placeBytes = 12
	timeBytes  = 8
	DocsInPart = 1 << 20
)

func rowOf(part int64, kind, n int) int64 { return part<<32 | int64(kind)<<28 | int64(n) }

// ErrDamaged says that a row is missing or cannot be what was written.
var ErrDamaged = errors.New("the text index is damaged")

// A Rows reads rows of the text index in one transaction. Rows never change, so that it may keep some.
type Rows struct {
	block, before, after *sql.Stmt
	kept                 *KeptRows
	last                 [RowTexts + 1]struct { // the row of each kind that was read last
		id   int64
		data []byte
	}
}

// KeptRows are rows that were read lately: those of the present and of the time before, each at most half of
// most bytes. The parts that they belong to may be gone.
type KeptRows struct {
	rows, before map[int64][]byte
	bytes, Most  int
}

// Add adds a row.
func (k *KeptRows) Add(id int64, data []byte) {
	if k.bytes += len(data); k.bytes > k.Most/2 || k.rows == nil {
		k.before, k.rows, k.bytes = k.rows, map[int64][]byte{}, len(data)
	}
	k.rows[id] = data
}

func (k *KeptRows) get(id int64) ([]byte, bool) {
	data, ok := k.rows[id]
	if !ok {
		if data, ok = k.before[id]; ok {
			k.Add(id, data)
		}
	}
	return data, ok
}

// Forget forgets all rows.
func (k *KeptRows) Forget() { k.rows, k.before, k.bytes = nil, nil, 0 }

// OpenRows returns what reads the rows that a transaction sees.
func OpenRows(tx *sql.Tx, kept *KeptRows) (r *Rows, err error) {
	r = &Rows{kept: kept}
	for stmt, text := range map[**sql.Stmt]string{
		&r.block:  "SELECT data FROM block WHERE id = ?",
		&r.before: "SELECT first, data FROM dict WHERE part = ? AND first <= ? ORDER BY first DESC LIMIT 1",
		&r.after:  "SELECT first, data FROM dict WHERE part = ? AND first > ? ORDER BY first LIMIT 1",
	} {
		if *stmt, err = tx.Prepare(text); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// row returns a row of table block.
func (r *Rows) row(id int64) ([]byte, error) {
	last := &r.last[id>>28&3]
	if last.id == id && last.data != nil {
		return last.data, nil
	}
	data, err := r.keptRow(id)
	if err == nil {
		last.id, last.data = id, data
	}
	return data, err
}

// keptRow returns a row of table block that may be among the kept ones.
func (r *Rows) keptRow(id int64) ([]byte, error) {
	if data, ok := r.kept.get(id); ok {
		return data, nil
	}
	var data []byte
	err := r.block.QueryRow(id).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrDamaged
	}
	if err != nil {
		return nil, err
	}
	r.kept.Add(id, data)
	return data, nil
}

// A Place is where a document's text comes from, and how many words it has.
type Place struct {
	ID    int64
	Words int
}

// Place returns where a document comes from.
func (r *Rows) Place(p *Part, doc uint32) (Place, error) {
	b, err := r.fixed(p, rowPlaces, doc, placeBytes)
	if err != nil {
		return Place{}, err
	}
	return Place{int64(binary.LittleEndian.Uint64(b)), int(binary.LittleEndian.Uint32(b[8:]))}, nil
}

// Number returns a document's value in rows of kind RowTimes or RowTexts.
func (r *Rows) Number(p *Part, kind int, doc uint32) (int64, error) {
	b, err := r.fixed(p, kind, doc, timeBytes)
	if err != nil {
		return 0, err
	}
	return int64(binary.LittleEndian.Uint64(b)), nil
}

// fixed returns a document's bytes in rows that have size bytes for each.
func (r *Rows) fixed(p *Part, kind int, doc uint32, size int) ([]byte, error) {
	data, err := r.row(rowOf(p.Number, kind, int(doc)/docsInRow))
	if err != nil {
		return nil, err
	}
	from := int(doc) % docsInRow * size
	if from+size > len(data) {
		return nil, ErrDamaged
	}
	return data[from : from+size], nil
}

// bytes returns n bytes of a part's lists, from offset on. They must not be changed.
func (r *Rows) bytes(p *Part, offset int64, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	var joined []byte
	for at := offset; ; {
		data, err := r.row(rowOf(p.Number, rowLists, int(at/listBytes)))
		if err != nil {
			return nil, err
		}
		from := int(at % listBytes)
		if from >= len(data) {
			return nil, ErrDamaged
		}
		piece := data[from:]
		if len(joined) == 0 && len(piece) >= n {
			return piece[:n], nil
		}
		piece = piece[:min(len(piece), n-len(joined))]
		if joined == nil {
			joined = make([]byte, 0, min(n, 1<<20))
		}
		if joined = append(joined, piece...); len(joined) == n {
			return joined, nil
		}
		if at += int64(len(piece)); at%listBytes != 0 {
			return nil, ErrDamaged
		}
	}
}
