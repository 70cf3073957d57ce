package lists

import (
	"database/sql"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// A Builder collects documents and makes a part of them. Between parts it keeps its memory.
type Builder struct {
	ids    []uint32 // the words of all documents, column by column
	docs   []builtDoc
	spots  []uint64 // of all words: the document, then the spot; by word
	counts []uint32
	terms  []string
}

// A Doc is a document: when it was written, a fingerprint of its text, and the numbers of its words.
type Doc struct {
	At, Text int64
	Words    [Columns][]uint32
}

// Size returns the number of words.
func (d *Doc) Size() (n int) {
	for _, list := range d.Words {
		n += len(list)
	}
	return n
}

// Size returns how many documents were collected.
func (b *Builder) Size() int { return len(b.docs) }

// A builtDoc is a document, and where each of its columns ends in ids.
type builtDoc struct {
	docRow
	ends [Columns]uint32
}

// WordsInPart is how many words a part has that is full.
const WordsInPart = 2 << 20

// docsInFirst is how many documents are collected in little memory.
const docsInFirst = 2000

// Add adds a document whose text comes from id.
func (b *Builder) Add(id int64, p Doc) {
	if len(b.docs) == docsInFirst {
		b.ids = slices.Grow(b.ids, WordsInPart) // there will be many; the memory stays
	}
	d := builtDoc{docRow: docRow{Place: Place{id, p.Size()}, at: p.At, text: p.Text}}
	for c, ids := range p.Words {
		b.ids = append(b.ids, ids[:min(len(ids), spotsMax)]...)
		d.ends[c] = uint32(len(b.ids))
	}
	b.docs = append(b.docs, d)
}

// docAt is the bit of an element of spots at which the document begins.
const docAt = columnAt + 3

// Write writes the part, and forgets the documents. terms are the words of all numbers.
func (b *Builder) Write(tx *sql.Tx, number int64, terms []string) (words int64, err error) {
	e, err := newEncoder(tx, number)
	if err != nil {
		return 0, err
	}
	b.terms = terms
	ends := b.sort()
	of := func(id uint32) []uint64 {
		from := uint32(0)
		if id > 0 {
			from = ends[id-1]
		}
		return b.spots[from:ends[id]]
	}
	order := make([]uint32, 0, len(ends))
	for id := range ends {
		if len(of(uint32(id))) > 0 {
			order = append(order, uint32(id))
		}
	}
	slices.SortFunc(order, func(x, y uint32) int {
		if terms[x] < terms[y] {
			return -1
		}
		return 1 // they differ
	})
	b.writeWords(e, order, of, keyTelling, Telling)
	b.writePrefixes(e, order, of, keyPrefix, 1<<Columns-1)
	b.writePrefixes(e, order, of, keyTellingPrefix, Telling)
	b.writeWords(e, order, of, "", 1<<Columns-1)
	docs := make([]docRow, 0, len(b.docs))
	for i := len(b.docs) - 1; i >= 0; i-- {
		docs = append(docs, b.docs[i].docRow)
		words += int64(b.docs[i].Words)
	}
	b.ids, b.docs = b.ids[:0], b.docs[:0]
	return words, e.finish(docs)
}

// sort sorts the spots by word; those of a word are in order. It returns where each word's spots end.
func (b *Builder) sort() (ends []uint32) {
	b.counts = append(b.counts[:0], make([]uint32, len(b.terms))...)
	ends = b.counts
	for _, id := range b.ids {
		ends[id]++
	}
	sum := uint32(0)
	for id, n := range ends {
		ends[id] = sum // where they begin; each spot moves it on
		sum += n
	}
	b.spots = slices.Grow(b.spots[:0], len(b.ids))[:len(b.ids)]
	for doc := range b.docs {
		i := len(b.docs) - 1 - doc
		from := uint32(0)
		if i > 0 {
			from = b.docs[i-1].ends[Columns-1]
		}
		for c, end := range b.docs[i].ends {
			base := uint64(doc)<<docAt | uint64(c)<<columnAt
			for n, id := range b.ids[from:end] {
				b.spots[ends[id]] = base | uint64(n)
				ends[id]++
			}
			from = end
		}
	}
	return ends
}

// writeWords writes the lists of words in some columns.
func (b *Builder) writeWords(e *encoder, order []uint32, of func(uint32) []uint64, before string, columns int) {
	var tallies []tally
	var spots []spot
	for _, id := range order {
		e.begin(before + b.terms[id])
		list := of(id)
		for i := 0; i < len(list); {
			doc := list[i] >> docAt
			spots = spots[:0]
			for ; i < len(list) && list[i]>>docAt == doc; i++ {
				if s := spot(list[i] & (1<<docAt - 1)); columns&(1<<(s>>columnAt)) != 0 {
					spots = append(spots, s)
				}
			}
			if len(spots) > 0 {
				tallies = appendTallies(tallies[:0], spots)
				e.Add(uint32(doc), tallies, spots)
			}
		}
		e.end()
	}
}

// firstLetters returns the first PrefixLetters letters of a word, or the word if it has fewer.
func firstLetters(word string) string {
	at := 0
	for n := 0; n < PrefixLetters && at < len(word); n++ {
		_, size := utf8.DecodeRuneInString(word[at:])
		at += size
	}
	return word[:at]
}

// writePrefixes writes the lists of first letters in some columns.
func (b *Builder) writePrefixes(e *encoder, order []uint32, of func(uint32) []uint64, before string, wanted int) {
	sums := make([][Columns]uint32, len(b.docs))
	seen := make([]uint64, (len(b.docs)+63)/64)
	for i := 0; i < len(order); {
		letters, next := firstLetters(b.terms[order[i]]), i+1
		for next < len(order) && firstLetters(b.terms[order[next]]) == letters {
			next++
		}
		e.begin(before + letters)
		for _, id := range order[i:next] {
			for _, s := range of(id) {
				if column := s >> columnAt & 7; wanted&(1<<column) != 0 {
					doc := s >> docAt
					sums[doc][column]++
					seen[doc/64] |= 1 << (doc % 64)
				}
			}
		}
		writeSums(e, sums, seen)
		e.end()
		i = next
	}
}

// writeSums adds the documents that were seen, and clears sums and seen.
func writeSums(e *encoder, sums [][Columns]uint32, seen []uint64) {
	var tallies []tally
	for at, word := range seen {
		if word == 0 {
			continue
		}
		seen[at] = 0
		for ; word != 0; word &= word - 1 {
			doc := at*64 + bits.TrailingZeros64(word)
			tallies = tallies[:0]
			for c, n := range sums[doc] {
				if n > 0 {
					tallies = append(tallies, tally{c, int(n)})
				}
			}
			sums[doc] = [Columns]uint32{}
			e.Add(uint32(doc), tallies, nil)
		}
	}
}
