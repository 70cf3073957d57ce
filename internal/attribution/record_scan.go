package attribution

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"unicode/utf8"
)

// decode decodes a record without checking it. A history has very many records: the form that this
// package writes is read in one pass, every other form by encoding/json.
func decode(data []byte) (*Record, error) {
	if r, ok := scanRecord(data); ok {
		return r, nil
	}
	var r Record
	err := json.Unmarshal(data, &r)
	return &r, err
}

// scanRecord reads a record in the form that [Record.Encode] writes; ok is false for every other
// form.
func scanRecord(data []byte) (r *Record, ok bool) {
	s := scanner{rest: data, ok: true}
	r = &Record{Version: s.number(`{"version":`)}
	if s.skip(`,"time":`) {
		r.Time = int64(s.digits(math.MaxInt64 / 10))
	}
	r.Parent = s.optional(`,"parent":"`)
	s.must(`,"owners":`)
	r.Owners = scanList(&s, (*scanner).owner)
	s.must(`,"files":`)
	r.Files = scanList(&s, (*scanner).file)
	r.Incomplete = s.skip(`,"incomplete":true`)
	s.must("}")
	return r, s.ok && len(bytes.TrimSpace(s.rest)) == 0
}

// scanner reads JSON of a known form. After something else, ok is false, and what the methods
// return means nothing.
type scanner struct {
	rest []byte
	ok   bool

	raw   []byte // room for bytes that base64 encodes
	spare Prints // memory for prints, because a record has very many short lists of them
}

// rangesAtFirst bounds the memory that is taken for a list before its elements are read.
const rangesAtFirst = 1024

// scanRanges is scanList for a list whose elements hold no list: their number is seen in advance.
func scanRanges[T any](s *scanner, next func(*scanner) T) []T {
	n := bytes.Count(s.rest[:bytes.IndexByte(s.rest, ']')+1], []byte{'{'})
	return appendList(make([]T, 0, min(n, rangesAtFirst)), s, next)
}

// scanList reads a list, which is not null.
func scanList[T any](s *scanner, next func(*scanner) T) []T { return appendList([]T{}, s, next) }

func appendList[T any](out []T, s *scanner, next func(*scanner) T) []T {
	s.must("[")
	if s.skip("]") {
		return out
	}
	for s.ok {
		out = append(out, next(s))
		if !s.skip(",") {
			break
		}
	}
	s.must("]")
	return out
}

func (s *scanner) owner() (o RecordOwner) {
	s.must(`{`)
	o.Class = s.text(`"class":"`)
	o.SessionID = s.optional(`,"session_id":"`)
	o.Agent = s.optional(`,"agent":"`)
	o.Model = s.optional(`,"model":"`)
	if s.skip(`,"turn":`) {
		o.Turn = int(s.digits(math.MaxInt32 / 10))
	}
	o.ToolUseID = s.optional(`,"tool_use_id":"`)
	o.Prompt = s.optional(`,"prompt":"`)
	s.must("}")
	return o
}

func (s *scanner) file() (f RecordFile) {
	f.Path = s.text(`{"path":"`)
	f.Blob = s.optional(`,"blob":"`)
	f.Lines = s.number(`,"lines":`)
	if s.skip(`,"ranges":`) {
		f.Ranges = scanRanges(s, (*scanner).added)
	}
	if s.skip(`,"removed":`) {
		f.Removed = scanRanges(s, (*scanner).removed)
	}
	if s.skip(`,"dropped":"`) {
		f.Dropped = s.prints()
	}
	s.must("}")
	return f
}

func (s *scanner) added() (g Range) {
	g.Start, g.Count, g.Owner = s.number(`{"start":`), s.number(`,"count":`), s.number(`,"owner":`)
	s.must(`,"prints":"`)
	g.Prints = s.prints()
	g.Moved, g.Modified = s.skip(`,"moved":true`), s.skip(`,"modified":true`)
	s.must("}")
	return g
}

func (s *scanner) removed() (g RemovedRange) {
	g.Line, g.Count, g.Owner = s.number(`{"line":`), s.number(`,"count":`), s.number(`,"owner":`)
	g.Replaced = s.skip(`,"replaced":true`)
	s.must("}")
	return g
}

func (s *scanner) skip(text string) bool {
	if len(s.rest) < len(text) || string(s.rest[:len(text)]) != text {
		return false
	}
	s.rest = s.rest[len(text):]
	return true
}

func (s *scanner) must(text string) { s.ok = s.skip(text) && s.ok }

// number reads a key and a number of a few digits.
func (s *scanner) number(key string) int {
	s.must(key)
	return int(s.digits(math.MaxInt32 / 10))
}

// digits reads a number without a sign that is at most 10 times most.
func (s *scanner) digits(most uint64) (n uint64) {
	i := 0
	for ; i < len(s.rest) && '0' <= s.rest[i] && s.rest[i] <= '9' && n < most; i++ {
		n = 10*n + uint64(s.rest[i]-'0')
	}
	s.ok = s.ok && i > 0 && (i == 1 || s.rest[0] != '0') && (i == len(s.rest) || s.rest[i] < '0' || s.rest[i] > '9')
	s.rest = s.rest[i:]
	return n
}

// text reads a key and a string without escapes.
func (s *scanner) text(key string) string {
	s.must(key)
	return string(s.quoted())
}

// optional is text for a key that may be missing.
func (s *scanner) optional(key string) string {
	if !s.skip(key) {
		return ""
	}
	return string(s.quoted())
}

// quoted reads the rest of a string without escapes, and its end.
func (s *scanner) quoted() []byte {
	end := bytes.IndexByte(s.rest, '"')
	if end < 0 {
		s.ok = false
		return nil
	}
	text := s.rest[:end]
	s.rest = s.rest[end+1:]
	for _, c := range text {
		s.ok = s.ok && c >= ' ' && c != '\\'
	}
	s.ok = s.ok && utf8.Valid(text)
	return text
}

func (s *scanner) prints() Prints {
	var err error
	s.raw, err = base64.StdEncoding.AppendDecode(s.raw[:0], s.quoted())
	n := len(s.raw) / 4
	if err != nil || len(s.raw)%4 != 0 {
		s.ok = false
		return nil
	}
	if s.spare == nil || n > len(s.spare) {
		s.spare = make(Prints, max(n, 1024))
	}
	p := s.spare[:n:n]
	s.spare = s.spare[n:]
	for i := range p {
		p[i] = printAt(s.raw[4*i:])
	}
	return p
}
