package agent

import (
	"sort"
	"strings"
)

// eraser collects what is to be cut from a text, or replaced in it.
type eraser struct {
	text  []byte
	spans []span
}

// span is a part of a text and what comes in its place.
type span struct {
	from, to int
	with     string
}

// items cuts the items of c that gone names and reports whether c is to go with
// them: nothing is left of it, and it was not there before its content.
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

// restoreEmpty cuts everything out of a container that bears the emptyMark.
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

// result is the text without what was cut; cuts may lie within each other.
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
