package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// ErrNoDocument is returned for a transcript that should be one JSON document and
// is not, as when it is read in the middle of being written.
var ErrNoDocument = errors.New("not one whole JSON document")

// IsDocument reports whether a transcript is one JSON document, or the beginning of
// one, rather than lines of records.
func IsDocument(transcript []byte) bool {
	from := skipSpace(transcript, 0)
	if at(transcript, from) != '{' {
		return false
	}
	line, rest, _ := bytes.Cut(transcript[from:], []byte("\n"))
	end := skipValue(line, 0)
	if end < 0 {
		return true // the object goes on in the next line
	}
	if !blank(line[end:]) || !blank(rest) {
		return false
	}
	found := false
	eachMember(line, func(key, value []byte) { found = found || string(key) == "messages" && at(value, 0) == '[' })
	return found
}

// document is a transcript that is one JSON document, as text: whatever is done to
// its messages, every other byte stays.
type document struct {
	text []byte
	// The elements of "messages" are text[open:end], one in each of parts, which
	// the commas divide. Without such an array open is 0.
	open, end int
	parts     []span
}

// parseDocument reports false for what is not one valid JSON object.
func parseDocument(text []byte) (document, bool) {
	d := document{text: text}
	if !json.Valid(text) {
		return d, false
	}
	ok := eachMember(text, func(key, value []byte) {
		if string(key) == "messages" && at(value, 0) == '[' {
			// value is a slice of text: what it can grow to tells where it begins.
			d.open = cap(text) - cap(value) + 1
			d.end = d.open + len(value) - 2
		}
	})
	if d.open > 0 {
		d.parts = elements(text, d.open, d.end)
	}
	return d, ok
}

// elements divides the inside of an array at its commas.
func elements(text []byte, from, to int) []span {
	if skipSpace(text, from) >= to {
		return nil
	}
	var out []span
	for at := from; ; {
		end := skipSpace(text, skipValue(text, skipSpace(text, at)))
		out = append(out, span{from: at, to: end})
		if end >= to {
			return out
		}
		at = end + 1
	}
}

// message is the text of a message without the space around it.
func (d document) message(i int) []byte {
	return bytes.TrimSpace(d.text[d.parts[i].from:d.parts[i].to])
}

// with is the document with other text inside its array.
func (d document) with(inside ...[]byte) []byte {
	return slices.Concat(d.text[:d.open], slices.Concat(inside...), d.text[d.end:])
}

// CutDocument is the document with its first n messages only, every other byte as
// it was. It reports false for one that does not have as many.
func CutDocument(doc []byte, n int) ([]byte, bool) {
	d, ok := parseDocument(doc)
	switch {
	case !ok || n < 0 || n > len(d.parts) || d.open == 0:
		return nil, false
	case n == len(d.parts):
		return doc, true
	case n == 0:
		return d.with(), true
	}
	last := d.parts[len(d.parts)-1]
	kept := bytes.TrimRight(doc[d.open:d.parts[n-1].to], " \t\r\n")
	value := bytes.TrimRight(doc[last.from:last.to], " \t\r\n")
	return d.with(kept, doc[last.from+len(value):d.end]), true
}

// SplitDocument cuts a document that is longer than limit into several that are
// not, as far as single messages allow: the first has everything but the messages
// that the others have. A document that cannot be cut stays in one piece.
func SplitDocument(doc []byte, limit int) [][]byte {
	if len(doc) <= limit {
		return [][]byte{doc}
	}
	d, ok := parseDocument(doc)
	if !ok || len(d.parts) < 2 {
		return [][]byte{doc}
	}
	var out [][]byte
	size, from := len(doc)-(d.end-d.open), 0
	flush := func(to int) {
		inside := doc[d.parts[from].from:d.parts[to-1].to]
		if len(out) == 0 {
			out = append(out, d.with(inside))
		} else {
			out = append(out, slices.Concat([]byte(partOpen), inside, []byte(partEnd)))
		}
		size, from = len(partOpen)+len(partEnd), to
	}
	for i, p := range d.parts {
		n := p.to - p.from + 1
		if i > from && size+n > limit {
			flush(i)
		}
		size += n
	}
	flush(len(d.parts))
	return out
}

// What stands around the messages of all parts of a document but the first.
const (
	partOpen = `{"messages":[`
	partEnd  = `]}`
)

// JoinDocument puts a document together from what SplitDocument made of it, byte
// for byte, or from parts that other tools cut, which have the messages and, but for
// the first, nothing else that counts. It reports false for anything else.
func JoinDocument(parts [][]byte) ([]byte, bool) {
	if len(parts) == 0 {
		return nil, false
	}
	var first document
	var inside [][]byte
	for i, p := range parts {
		d, ok := parseDocument(p)
		if !ok || d.open == 0 {
			return nil, false
		}
		if i == 0 {
			first = d
		}
		if len(d.parts) == 0 && len(parts) > 1 {
			continue
		}
		if len(inside) > 0 {
			inside = append(inside, []byte(","))
		}
		inside = append(inside, p[d.open:d.end])
	}
	return first.with(inside...), true
}

// MessageIDs are the IDs of a document's messages, "" for one that has none. It
// reports false for what is no document.
func MessageIDs(doc []byte) ([]string, bool) {
	d, ok := parseDocument(doc)
	if !ok || d.open == 0 {
		return nil, false
	}
	ids := make([]string, len(d.parts))
	for i := range d.parts {
		var m geminiMessage
		if m.scan(d.message(i)) {
			ids[i] = m.id
		}
	}
	return ids, true
}
