package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"entire/agent/internal/jsontext"
)

// ErrNone is returned for a transcript that should be one JSON document and is not,
// for example because it is still being written.
var ErrNone = errors.New("not one whole JSON document")

// headBytes is how much of a transcript's beginning shows whether it is one JSON document.
const headBytes = 64 << 10

// Begins reports whether a file is one JSON document and not lines of records. Agents rewrite such a document in place.
func Begins(f io.ReaderAt) bool {
	head := make([]byte, headBytes)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	return Is(head[:n])
}

// Is reports whether a transcript is one JSON document, or the beginning of one,
// and not lines of records.
func Is(transcript []byte) bool {
	from := jsontext.SkipSpace(transcript, 0)
	if jsontext.At(transcript, from) != '{' {
		return false
	}
	line, rest, _ := bytes.Cut(transcript[from:], []byte("\n"))
	end := jsontext.SkipValue(line, 0)
	if end < 0 {
		return true // the object continues on the next line
	}
	if !jsontext.Blank(line[end:]) || !jsontext.Blank(rest) {
		return false
	}
	found := false
	jsontext.EachMember(line, func(key, value []byte) { found = found || string(key) == "messages" && jsontext.At(value, 0) == '[' })
	return found
}

// Document is the text of a transcript that is one JSON document. An edit of a message
// changes no other byte.
type Document struct {
	text []byte
	// The elements of "messages" are text[open:end]; parts has one span for each, split at
	// the commas. Without such an array, open is 0.
	Open, end int
	Parts     []jsontext.Span
}

// Parse parses a document; it reports false if text is not one valid JSON object.
func Parse(text []byte) (Document, bool) {
	d := Document{text: text}
	if !json.Valid(text) {
		return d, false
	}
	ok := jsontext.EachMember(text, func(key, value []byte) {
		if string(key) == "messages" && jsontext.At(value, 0) == '[' {
			// value is a slice of text, so its capacity shows where it begins
			d.Open = cap(text) - cap(value) + 1
			d.end = d.Open + len(value) - 2
		}
	})
	if d.Open > 0 {
		d.Parts = jsontext.Elements(text, d.Open, d.end)
	}
	return d, ok
}

// Message returns the text of a message without the white space around it.
func (d Document) Message(i int) []byte {
	return bytes.TrimSpace(d.text[d.Parts[i].From:d.Parts[i].To])
}

// with returns the document with other text inside its array.
func (d Document) with(inside ...[]byte) []byte {
	return slices.Concat(d.text[:d.Open], slices.Concat(inside...), d.text[d.end:])
}

// Cut returns the document with only its first n messages; all other bytes stay.
// It reports false if the document has fewer messages.
func Cut(doc []byte, n int) ([]byte, bool) {
	d, ok := Parse(doc)
	switch {
	case !ok || n < 0 || n > len(d.Parts) || d.Open == 0:
		return nil, false
	case n == len(d.Parts):
		return doc, true
	case n == 0:
		return d.with(), true
	}
	last := d.Parts[len(d.Parts)-1]
	kept := bytes.TrimRight(doc[d.Open:d.Parts[n-1].To], " \t\r\n")
	value := bytes.TrimRight(doc[last.From:last.To], " \t\r\n")
	return d.with(kept, doc[last.From+len(value):d.end]), true
}

// Split splits a document into documents no longer than limit, as far as single
// messages allow: the first has everything except the messages that the others have. It
// returns a document that cannot be split in one piece.
func Split(doc []byte, limit int) [][]byte {
	if len(doc) <= limit {
		return [][]byte{doc}
	}
	d, ok := Parse(doc)
	if !ok || len(d.Parts) < 2 {
		return [][]byte{doc}
	}
	var out [][]byte
	size, from := len(doc)-(d.end-d.Open), 0
	flush := func(to int) {
		inside := doc[d.Parts[from].From:d.Parts[to-1].To]
		if len(out) == 0 {
			out = append(out, d.with(inside))
		} else {
			out = append(out, slices.Concat([]byte(partOpen), inside, []byte(partEnd)))
		}
		size, from = len(partOpen)+len(partEnd), to
	}
	for i, p := range d.Parts {
		n := p.To - p.From + 1
		if i > from && size+n > limit {
			flush(i)
		}
		size += n
	}
	flush(len(d.Parts))
	return out
}

// What surrounds the messages in all parts of a document except the first.
const (
	partOpen = `{"messages":[`
	partEnd  = `]}`
)

// Join joins the parts that Split returned, byte for byte, or parts that
// other tools made; all but the first of those hold nothing relevant besides messages. It
// reports false for anything else.
func Join(parts [][]byte) ([]byte, bool) {
	if len(parts) == 0 {
		return nil, false
	}
	var first Document
	var inside [][]byte
	for i, p := range parts {
		d, ok := Parse(p)
		if !ok || d.Open == 0 {
			return nil, false
		}
		if i == 0 {
			first = d
		}
		if len(d.Parts) == 0 && len(parts) > 1 {
			continue
		}
		if len(inside) > 0 {
			inside = append(inside, []byte(","))
		}
		inside = append(inside, p[d.Open:d.end])
	}
	return first.with(inside...), true
}

// MessageIDs returns the IDs of a document's messages, "" for a message without one. It
// reports false if doc is not a document.
func MessageIDs(doc []byte) ([]string, bool) {
	d, ok := Parse(doc)
	if !ok || d.Open == 0 {
		return nil, false
	}
	ids := make([]string, len(d.Parts))
	for i := range d.Parts {
		jsontext.EachMember(d.Message(i), func(key, value []byte) {
			if string(key) == "id" {
				ids[i] = jsontext.Unquote(value)
			}
		})
	}
	return ids, true
}
