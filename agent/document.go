package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// ErrNoDocument is returned for a transcript that should be one JSON document and is not,
// for example because it is still being written.
var ErrNoDocument = errors.New("not one whole JSON document")

// IsDocument reports whether a transcript is one JSON document, or the beginning of one,
// and not lines of records.
func IsDocument(transcript []byte) bool {
	from := skipSpace(transcript, 0)
	if at(transcript, from) != '{' {
		return false
	}
	line, rest, _ := bytes.Cut(transcript[from:], []byte("\n"))
	end := skipValue(line, 0)
	if end < 0 {
		return true // the object continues on the next line
	}
	if !blank(line[end:]) || !blank(rest) {
		return false
	}
	found := false
	eachMember(line, func(key, value []byte) { found = found || string(key) == "messages" && at(value, 0) == '[' })
	return found
}

// document is the text of a transcript that is one JSON document. An edit of a message
// changes no other byte.
type document struct {
	text []byte
	// The elements of "messages" are text[open:end]; parts has one span for each, split at
	// the commas. Without such an array, open is 0.
	open, end int
	parts     []span
}

// parseDocument parses a document; it reports false if text is not one valid JSON object.
func parseDocument(text []byte) (document, bool) {
	d := document{text: text}
	if !json.Valid(text) {
		return d, false
	}
	ok := eachMember(text, func(key, value []byte) {
		if string(key) == "messages" && at(value, 0) == '[' {
			// value is a slice of text, so its capacity shows where it begins
			d.open = cap(text) - cap(value) + 1
			d.end = d.open + len(value) - 2
		}
	})
	if d.open > 0 {
		d.parts = elements(text, d.open, d.end)
	}
	return d, ok
}

// elements splits the inside of an array at its commas.
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

// message returns the text of a message without the white space around it.
func (d document) message(i int) []byte {
	return bytes.TrimSpace(d.text[d.parts[i].from:d.parts[i].to])
}

// with returns the document with other text inside its array.
func (d document) with(inside ...[]byte) []byte {
	return slices.Concat(d.text[:d.open], slices.Concat(inside...), d.text[d.end:])
}

// CutDocument returns the document with only its first n messages; all other bytes stay.
// It reports false if the document has fewer messages.
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

// SplitDocument splits a document into documents no longer than limit, as far as single
// messages allow: the first has everything except the messages that the others have. It
// returns a document that cannot be split in one piece.
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

// What surrounds the messages in all parts of a document except the first.
const (
	partOpen = `{"messages":[`
	partEnd  = `]}`
)

// JoinDocument joins the parts that SplitDocument returned, byte for byte, or parts that
// other tools made; all but the first of those hold nothing relevant besides messages. It
// reports false for anything else.
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

// MessageIDs returns the IDs of a document's messages, "" for a message without one. It
// reports false if doc is not a document.
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
