package attribution

import (
	"bytes"
	"encoding/json"
	"math"
)

// Ranges are the added lines of a file, in order, and RemovedRanges the removed ones.
type (
	Ranges        []Range
	RemovedRanges []RemovedRange
)

// UnmarshalJSON decodes ranges. A history has very many of them: the form that this package
// writes is read without reflection.
func (l *Ranges) UnmarshalJSON(data []byte) (err error) {
	*l, err = decodeList(data, (*scanner).next)
	return err
}

// UnmarshalJSON is that of Ranges.
func (l *RemovedRanges) UnmarshalJSON(data []byte) (err error) {
	*l, err = decodeList(data, (*scanner).nextRemoved)
	return err
}

func decodeList[T any](data []byte, next func(*scanner) (T, bool)) (list []T, err error) {
	if list, ok := scanList(data, next); ok {
		return list, nil
	}
	return list, json.Unmarshal(data, &list)
}

// scanList reads a list in the form that json.Marshal gives it; ok is false for every other.
func scanList[T any](data []byte, next func(*scanner) (T, bool)) (out []T, ok bool) {
	s := scanner{rest: data}
	if !s.skip("[") {
		return nil, false
	}
	out = make([]T, 0, bytes.Count(data, []byte{'{'}))
	for more := true; more; more = s.skip(",") {
		one, ok := next(&s)
		if !ok {
			return nil, false
		}
		out = append(out, one)
	}
	return out, string(s.rest) == "]"
}

// next reads one range.
func (s *scanner) next() (g Range, ok bool) {
	s.ok = true
	g.Start, g.Count, g.Owner = s.number(`{"start":`), s.number(`,"count":`), s.number(`,"owner":`)
	s.ok = s.skip(`,"prints":"`) && s.ok
	prints, rest, closed := bytes.Cut(s.rest, []byte{'"'})
	if !s.ok || !closed || g.Prints.UnmarshalText(prints) != nil {
		return Range{}, false
	}
	s.rest = rest
	g.Moved, g.Modified = s.skip(`,"moved":true`), s.skip(`,"modified":true`)
	return g, s.skip("}")
}

// nextRemoved reads one range of removed lines.
func (s *scanner) nextRemoved() (g RemovedRange, ok bool) {
	s.ok = true
	g.Line, g.Count, g.Owner = s.number(`{"line":`), s.number(`,"count":`), s.number(`,"owner":`)
	g.Replaced = s.skip(`,"replaced":true`)
	return g, s.skip("}") && s.ok
}

type scanner struct {
	rest []byte
	ok   bool // all that had to be there was there
}

func (s *scanner) skip(text string) bool {
	rest, found := bytes.CutPrefix(s.rest, []byte(text))
	s.rest = rest
	return found
}

// number reads a key and a number of a few digits.
func (s *scanner) number(key string) (n int) {
	s.ok = s.skip(key) && s.ok
	i := 0
	for ; i < len(s.rest) && '0' <= s.rest[i] && s.rest[i] <= '9' && n < math.MaxInt32/10; i++ {
		n = 10*n + int(s.rest[i]-'0')
	}
	s.ok = s.ok && i > 0 && (i == 1 || s.rest[0] != '0')
	s.rest = s.rest[i:]
	return n
}
