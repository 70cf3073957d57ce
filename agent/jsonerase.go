package agent

import (
	"sort"
	"strings"
)

// eraser collects parts of a text to remove or to replace.
type eraser struct {
	text  []byte
	spans []span
}

// span is a part of a text and its replacement.
type span struct {
	from, to int
	with     string
}

// items removes the items of c that gone selects and reports whether c is to be removed,
// too: it has no other items, and did not exist before its content.
func (e *eraser) items(c textValue, gone func(i int, it textItem) bool) (emptied bool) {
	drop := make([]bool, len(c.items))
	left := len(c.items)
	for i, it := range c.items {
		if drop[i] = gone(i, it); drop[i] {
			left--
		}
	}
	if left == len(c.items) {
		return false
	}
	if left == 0 {
		return !e.restoreEmpty(c)
	}
	kept := false
	for i, it := range c.items {
		switch {
		case !drop[i]:
			kept = true
		case kept:
			e.cut(c.items[i-1].value.end, it.value.end)
		default:
			e.cut(it.start, c.items[i+1].start)
		}
	}
	return false
}

// restoreEmpty removes everything from a container with the emptyMark.
func (e *eraser) restoreEmpty(c textValue) bool {
	lead := string(e.text[c.start+1 : c.items[0].start])
	nl := strings.LastIndexByte(lead, '\n')
	if nl < 0 {
		return false
	}
	before, ok := strings.CutSuffix(strings.TrimSuffix(lead[:nl], "\r"), emptyMark)
	if ok {
		e.cut(c.start+1+len(before), c.end-1)
	}
	return ok
}

func (e *eraser) cut(from, to int) { e.replace(from, to, "") }

func (e *eraser) replace(from, to int, with string) {
	e.spans = append(e.spans, span{from, to, with})
}

// result returns the text without the removed parts; one part may lie within another.
func (e *eraser) result() []byte {
	sort.Slice(e.spans, func(i, j int) bool { return e.spans[i].from < e.spans[j].from })
	out := make([]byte, 0, len(e.text))
	at := 0
	for _, s := range e.spans {
		if s.from >= at {
			out = append(append(out, e.text[at:s.from]...), s.with...)
		}
		at = max(at, s.to)
	}
	return append(out, e.text[at:]...)
}
