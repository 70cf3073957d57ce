package attribution

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxBytes and MaxLines bound the text that is looked at; see [Countable].
	MaxBytes = 4 << 20
	MaxLines = 100_000

	// binaryProbe is how much of a file git looks at for a zero byte.
	binaryProbe = 8000
)

// Binary reports whether git takes text for binary, which has no lines.
func Binary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), binaryProbe)], 0) >= 0 }

// Countable reports whether a text is compared at all: it is not binary, and
// within MaxBytes and MaxLines.
func Countable(text []byte) bool {
	return len(text) <= MaxBytes && !Binary(text) && bytes.Count(text, []byte{'\n'}) < MaxLines
}

// text is a version as numbers: ids are equal where lines are equal to the byte,
// their ends included, and forms where only white space differs.
type text struct {
	raw   []byte
	ids   []int32
	forms []int32
}

func (t text) part(lo, hi int) text { return text{ids: t.ids[lo:hi], forms: t.forms[lo:hi]} }

// words numbers lines, the same for every version of a history.
type words struct {
	ids    map[string]int32
	forms  map[string]int32
	formOf []int32  // of each id
	weight []int32  // of each form: its characters other than white space
	lines  []string // of each id
	bare   []byte   // scratch
}

// newWords makes room for the lines of a text of that size.
func newWords(size int) *words {
	n := min(size/24, MaxLines) + 16
	return &words{ids: make(map[string]int32, n), forms: make(map[string]int32, n)}
}

// read splits a text after each newline. Binary text has no lines.
func (w *words) read(raw []byte) text { return w.readAfter(nil, raw) }

// ahead is how far a line is looked for behind the one that was expected.
const ahead = 8

// readAfter is read for a text that is much like another one, whose lines are known:
// most need not be looked up.
func (w *words) readAfter(before []int32, raw []byte) text {
	t := text{raw: raw}
	if Binary(raw) {
		return t
	}
	n := bytes.Count(raw, []byte{'\n'}) + 1
	t.ids, t.forms = make([]int32, 0, n), make([]int32, 0, n)
	for line := range bytes.Lines(raw) {
		id := int32(-1)
		for k, was := range before[:min(ahead, len(before))] {
			if w.lines[was] == string(line) {
				id, before = was, before[k+1:]
				break
			}
		}
		if id < 0 {
			id = w.number(line)
		}
		t.ids, t.forms = append(t.ids, id), append(t.forms, w.formOf[id])
	}
	return t
}

func (w *words) number(line []byte) int32 {
	if id, ok := w.ids[string(line)]; ok {
		return id
	}
	id := int32(len(w.ids))
	text := string(line)
	w.ids[text] = id
	w.lines = append(w.lines, text)
	w.bare = squeeze(w.bare[:0], line)
	form, ok := w.forms[string(w.bare)]
	if !ok {
		form = int32(len(w.forms))
		w.forms[string(w.bare)] = form
		w.weight = append(w.weight, int32(utf8.RuneCount(w.bare)))
	}
	w.formOf = append(w.formOf, form)
	return id
}

// squeeze appends a line without its white space.
func squeeze(dst, line []byte) []byte {
	for len(line) > 0 {
		if c := line[0]; c < utf8.RuneSelf {
			if c != ' ' && (c < '\t' || c > '\r') {
				dst = append(dst, c)
			}
			line = line[1:]
			continue
		}
		r, n := utf8.DecodeRune(line)
		if !unicode.IsSpace(r) {
			dst = append(dst, line[:n]...)
		}
		line = line[n:]
	}
	return dst
}
