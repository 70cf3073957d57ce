package merge3

import (
	"bytes"

	"entire/internal/attribution"
)

// maxBytes is the size above which a file is not merged by lines.
const maxBytes = 8 << 20

// mergeable reports whether a file is merged by lines.
func mergeable(text []byte) bool { return len(text) <= maxBytes && !attribution.Binary(text) }

// A Span is a range of lines from Begin, counted from 0, to before End.
type Span struct{ Begin, End int }

// Region is the position of a conflict in the three texts.
type Region struct{ Base, Ours, Theirs Span }

// chunk is a part of the result: the text of one side or, for a conflict, of both.
type chunk struct {
	text         []byte
	ours, theirs []byte
	conflict     bool
}

// Result is the result of a merge.
type Result struct {
	Conflicts []Region // in order, none when the merge is clean

	chunks []chunk
	whole  bool // not merged by lines
}

// Clean reports a merge without conflicts.
func (r Result) Clean() bool { return len(r.Conflicts) == 0 }

// Bytes returns the merged text, or nil if there are conflicts.
func (r Result) Bytes() []byte {
	if !r.Clean() {
		return nil
	}
	out := []byte{}
	for _, c := range r.chunks {
		out = append(out, c.text...)
	}
	return out
}

// Merge merges the changes from base to ours and from base to theirs.
func Merge(base, ours, theirs []byte) Result {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return Result{chunks: []chunk{{text: ours}}}
	case bytes.Equal(base, ours):
		return Result{chunks: []chunk{{text: theirs}}}
	case !mergeable(base) || !mergeable(ours) || !mergeable(theirs):
		one := Span{0, 1}
		return Result{Conflicts: []Region{{one, one, one}}, whole: true}
	}
	m := merging{base: split(base), ours: split(ours), theirs: split(theirs)}
	m.run(attribution.Align(base, ours), attribution.Align(base, theirs))
	return m.result
}

// merging is the state of a merge. A text is the offsets of its lines and its end.
type merging struct {
	base, ours, theirs text
	result             Result
}

type text struct {
	raw []byte
	at  []int
}

func split(raw []byte) text {
	t := text{raw: raw}
	n := 0
	for line := range bytes.Lines(raw) {
		t.at = append(t.at, n)
		n += len(line)
	}
	t.at = append(t.at, n)
	return t
}

func (t text) lines() int { return len(t.at) - 1 }

func (t text) span(s Span) []byte { return t.raw[t.at[s.Begin]:t.at[s.End]] }

// run visits the lines that all three texts share. One side or both changed what is between two such
// lines.
func (m *merging) run(inOurs, inTheirs []int) {
	b, o, t := 0, 0, 0
	stable := 0 // start of the run of common lines
	for i := range m.base.lines() {
		oi, ti := inOurs[i], inTheirs[i]
		if oi < 0 || ti < 0 {
			continue
		}
		if oi > o || ti > t || i > b {
			m.take(m.base.span(Span{stable, b}))
			m.between(Region{Span{b, i}, Span{o, oi}, Span{t, ti}})
			stable = i
		}
		b, o, t = i+1, oi+1, ti+1
	}
	m.take(m.base.span(Span{stable, b}))
	m.between(Region{Span{b, m.base.lines()}, Span{o, m.ours.lines()}, Span{t, m.theirs.lines()}})
}

func (m *merging) take(text []byte) {
	if len(text) > 0 {
		m.result.chunks = append(m.result.chunks, chunk{text: text})
	}
}

func (m *merging) between(r Region) {
	base, ours, theirs := m.base.span(r.Base), m.ours.span(r.Ours), m.theirs.span(r.Theirs)
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(theirs, base):
		m.take(ours)
	case bytes.Equal(ours, base):
		m.take(theirs)
	default:
		m.result.Conflicts = append(m.result.Conflicts, r)
		m.result.chunks = append(m.result.chunks, chunk{ours: ours, theirs: theirs, conflict: true})
	}
}
