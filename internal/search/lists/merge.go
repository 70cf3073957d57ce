package lists

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Parts of less than smallWords are merged as long as the next is at most twice as large as those together, so
// that there are few, and each document is written few times. Of larger ones, mergeAtOnce become one.
const (
	smallWords  = WordsInPart / 2
	mergeAtOnce = 8
	largeWords  = 2 * WordsInPart // no part that mergeAtOnce made is smaller
)

// A Grave says which parts have documents of an entry that were removed: those of a number below whole have
// all of its documents, and those below entry the one of the entry itself.
type Grave struct{ whole, entry int64 }

// DeadIn reports whether a document of a part was removed.
func DeadIn(graves map[int64]Grave, part, id int64) bool {
	g, ok := graves[id>>NumberBits]
	return ok && (part < g.whole || part < g.entry && id&(1<<NumberBits-1) == 0)
}

// ReadGraves returns what was removed, by the number of its entry.
func ReadGraves(tx *sql.Tx) (map[int64]Grave, error) {
	found, err := tx.Query("SELECT number, whole, entry FROM dead")
	if err != nil {
		return nil, err
	}
	defer found.Close()
	out := map[int64]Grave{}
	for found.Next() {
		var number int64
		var g Grave
		if err := found.Scan(&number, &g.whole, &g.entry); err != nil {
			return nil, err
		}
		out[number] = g
	}
	return out, found.Err()
}

// ReadParts returns the parts, the newest first.
func ReadParts(tx *sql.Tx) ([]Part, error) {
	found, err := tx.Query("SELECT number, docs, words FROM part ORDER BY number DESC")
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var list []Part
	for found.Next() {
		var p Part
		if err := found.Scan(&p.Number, &p.Docs, &p.words); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, found.Err()
}

// NextPart returns a number that is above that of all parts and graves.
func NextPart(tx *sql.Tx) (next int64, err error) {
	err = tx.QueryRow("SELECT 1 + max((SELECT coalesce(max(number), 0) FROM part), (SELECT coalesce(max(max(whole, entry)), 0) FROM dead))").Scan(&next)
	return next, err
}

// MergeSome merges parts if there are too many.
func MergeSome(ctx context.Context, tx *sql.Tx) error {
	parts, err := ReadParts(tx)
	if err != nil {
		return err
	}
	n := manyParts(parts)
	if n < 2 {
		return nil
	}
	number, err := NextPart(tx)
	if err != nil {
		return err
	}
	return Merge(ctx, tx, parts[:n], number)
}

// manyParts returns how many of the newest parts to merge.
func manyParts(parts []Part) (n int) {
	sum, larger := int64(0), 0
	for i, p := range parts {
		if p.words >= largeWords {
			break
		}
		if p.words >= smallWords {
			if larger++; larger == mergeAtOnce {
				return i + 1
			}
			continue
		}
		if larger == 0 && i > 0 && p.words <= 2*sum {
			n = i + 1
		}
		sum += p.words
	}
	return n
}

// Merge makes one part of some that follow each other, the newest first, without the documents that were
// removed.
func Merge(ctx context.Context, tx *sql.Tx, parts []Part, number int64) error {
	r, err := OpenRows(tx, &KeptRows{Most: 8 << 20})
	if err != nil {
		return err
	}
	graves, err := ReadGraves(tx)
	if err != nil {
		return err
	}
	m := &merger{ctx: ctx, rows: r, parts: parts, moved: make([][]uint32, len(parts))}
	if err := m.readDocs(graves); err != nil {
		return err
	}
	if m.out, err = newEncoder(tx, number); err != nil {
		return err
	}
	if err := m.lists(); err != nil {
		return err
	}
	if err := m.out.finish(m.docs); err != nil {
		return err
	}
	return m.replace(tx, number)
}

type merger struct {
	ctx   context.Context
	rows  *Rows
	parts []Part
	moved [][]uint32 // the new document of each
	docs  []docRow
	out   *encoder
}

// readDocs numbers the documents that stay.
func (m *merger) readDocs(graves map[int64]Grave) error {
	for i := range m.parts {
		p := &m.parts[i]
		m.moved[i] = make([]uint32, p.Docs)
		for doc := range m.moved[i] {
			at, err := m.rows.Place(p, uint32(doc))
			if err != nil {
				return err
			}
			if m.moved[i][doc] = None; DeadIn(graves, p.Number, at.ID) {
				continue
			}
			d := docRow{Place: at}
			if d.at, err = m.rows.Number(p, RowTimes, uint32(doc)); err != nil {
				return err
			}
			if d.text, err = m.rows.Number(p, RowTexts, uint32(doc)); err != nil {
				return err
			}
			m.moved[i][doc] = uint32(len(m.docs))
			m.docs = append(m.docs, d)
		}
	}
	return nil
}

// A keyed is the entry of a key.
type keyed struct {
	key   string
	entry Entry
	err   error
}

func (r *Rows) keys(p *Part) iter.Seq[keyed] {
	return func(yield func(keyed) bool) {
		err := r.Each(p, "", func(key []byte, e Entry) bool { return yield(keyed{string(key), e, nil}) })
		if err != nil {
			yield(keyed{err: err})
		}
	}
}

// lists writes the lists of all keys.
func (m *merger) lists() error {
	heads := make([]*keyed, len(m.parts))
	next := make([]func() (keyed, bool), len(m.parts))
	advance := func(i int) error {
		k, ok := next[i]()
		if heads[i] = &k; !ok {
			heads[i] = nil
		}
		return k.err
	}
	for i := range m.parts {
		var stop func()
		next[i], stop = iter.Pull(m.rows.keys(&m.parts[i]))
		defer stop()
		if err := advance(i); err != nil {
			return err
		}
	}
	for {
		key, ok := firstKey(heads)
		if !ok {
			return nil
		}
		m.out.begin(key)
		for i, h := range heads {
			if h == nil || h.key != key {
				continue
			}
			if err := m.list(i, h.entry); err != nil {
				return err
			}
			if err := advance(i); err != nil {
				return err
			}
		}
		if m.out.end(); m.ctx.Err() != nil {
			return m.ctx.Err()
		}
	}
}

// firstKey returns the first of the keys.
func firstKey(heads []*keyed) (key string, ok bool) {
	for _, h := range heads {
		if h != nil && (!ok || h.key < key) {
			key, ok = h.key, true
		}
	}
	return key, ok
}

// list adds the documents of a list that stay.
func (m *merger) list(i int, e Entry) error {
	p := &m.parts[i]
	ords, err := m.rows.bytes(p, e.offset+int64(e.table), e.ords)
	if err != nil {
		return err
	}
	ords = slices.Clone(ords)
	spots, err := m.rows.bytes(p, e.offset+int64(e.table+e.ords), e.spots)
	if err != nil {
		return err
	}
	return eachDoc(e.Docs, ords, spots, func(doc uint32, tallies []tally, spots []spot) error {
		if int(doc) >= len(m.moved[i]) {
			return ErrDamaged
		}
		if to := m.moved[i][doc]; to != None {
			m.out.Add(to, tallies, spots)
		}
		return nil
	})
}

// eachDoc calls do for the documents of a list.
func eachDoc(docs int, ords, places []byte, do func(doc uint32, tallies []tally, spots []spot) error) error {
	in, at, doc := reading{data: ords}, reading{data: places}, uint32(0)
	var block [blockDocs]uint32
	var tallies []tally
	var spots []spot
	for ; docs > 0; docs -= blockDocs {
		list := block[:min(docs, blockDocs)]
		for k := range list {
			doc += uint32(in.number())
			list[k] = doc
		}
		for _, doc := range list {
			tallies, spots = tallies[:0], spots[:0]
			for more := true; more; {
				code := in.number()
				t := tally{code >> 1 & 7, code >> 4}
				if more = code&1 == 1; t.column >= Columns {
					return ErrDamaged
				}
				tallies = append(tallies, t)
				if len(places) > 0 {
					spots = at.spots(t, spots)
				}
			}
			if in.bad || at.bad {
				return ErrDamaged
			}
			if err := do(doc, tallies, spots); err != nil {
				return err
			}
		}
	}
	return nil
}

// spots appends the spots of one column in one document. It stops where the data is bad.
func (r *reading) spots(t tally, to []spot) []spot {
	s := spot(t.column) << columnAt
	for range t.count {
		if s += spot(r.number()); r.bad {
			break
		}
		to = append(to, s)
	}
	return to
}

// replace removes the former parts.
func (m *merger) replace(tx *sql.Tx, number int64) error {
	words := int64(0)
	var errs []error
	do := func(text string, args ...any) {
		_, err := tx.Exec(text, args...)
		errs = append(errs, err)
	}
	for _, p := range m.parts {
		do("DELETE FROM part WHERE number = ?", p.Number)
		do("DELETE FROM dict WHERE part = ?", p.Number)
		do("DELETE FROM block WHERE id BETWEEN ? AND ?", rowOf(p.Number, 0, 0), rowOf(p.Number+1, 0, 0)-1)
	}
	if len(m.docs) > 0 {
		for _, d := range m.docs {
			words += int64(d.Words)
		}
		do("INSERT INTO part(number, docs, words) VALUES(?, ?, ?)", number, len(m.docs), words)
	}
	do("DELETE FROM dead WHERE max(whole, entry) <= (SELECT coalesce(min(number), 1 << 40) FROM part)")
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("merge parts: %w", err)
	}
	return nil
}
