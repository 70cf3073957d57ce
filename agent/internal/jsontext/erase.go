package jsontext

import (
	"sort"
	"strings"
)

// Eraser collects parts of a text to remove or to replace.
type Eraser struct {
	Text  []byte
	spans []Span
}

// Span is a part of a text and its replacement.
type Span struct {
	From, To int
	with     string
}

// Items removes the items of c that gone selects and reports whether c is to be removed,
// too: it has no other items, and did not exist before its content.
func (e *Eraser) Items(c TextValue, gone func(i int, it TextItem) bool) (emptied bool) {
	drop := make([]bool, len(c.Items))
	left := len(c.Items)
	for i, it := range c.Items {
		if drop[i] = gone(i, it); drop[i] {
			left--
		}
	}
	if left == len(c.Items) {
		return false
	}
	if left == 0 {
		return !e.restoreEmpty(c)
	}
	kept := false
	for i, it := range c.Items {
		switch {
		case !drop[i]:
			kept = true
		case kept:
			e.Cut(c.Items[i-1].Value.End, it.Value.End)
		default:
			e.Cut(it.start, c.Items[i+1].start)
		}
	}
	return false
}

// restoreEmpty removes everything from a container with the emptyMark.
func (e *Eraser) restoreEmpty(c TextValue) bool {
	lead := string(e.Text[c.Start+1 : c.Items[0].start])
	nl := strings.LastIndexByte(lead, '\n')
	if nl < 0 {
		return false
	}
	before, ok := strings.CutSuffix(strings.TrimSuffix(lead[:nl], "\r"), emptyMark)
	if ok {
		e.Cut(c.Start+1+len(before), c.End-1)
	}
	return ok
}

func (e *Eraser) Cut(from, to int) { e.Replace(from, to, "") }

func (e *Eraser) Replace(from, to int, with string) {
	e.spans = append(e.spans, Span{from, to, with})
}

// Result returns the text without the removed parts; one part may lie within another.
func (e *Eraser) Result() []byte {
	sort.Slice(e.spans, func(i, j int) bool { return e.spans[i].From < e.spans[j].From })
	out := make([]byte, 0, len(e.Text))
	at := 0
	for _, s := range e.spans {
		if s.From >= at {
			out = append(append(out, e.Text[at:s.From]...), s.with...)
		}
		at = max(at, s.To)
	}
	return append(out, e.Text[at:]...)
}

// SetMember returns an object with every occurrence of a member's raw value replaced.
func SetMember(object []byte, name, value string) []byte {
	e := Eraser{Text: object}
	EachMember(object, func(key, old []byte) {
		if string(key) == name {
			e.ReplacePart(old, value)
		}
	})
	return e.Result()
}

// ReplacePart replaces a part of the text that is a slice of it.
func (e *Eraser) ReplacePart(part []byte, with string) {
	from := cap(e.Text) - cap(part) // the capacity shows where the slice begins
	e.Replace(from, from+len(part), with)
}
