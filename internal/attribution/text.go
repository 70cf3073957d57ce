package attribution

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxBytes and MaxLines bound the texts that are compared; see [Countable].
	MaxBytes = 4 << 20
	MaxLines = 100_000

	// binaryProbe is how many bytes of a file git searches for a zero byte.
	binaryProbe = 8000
)

// Binary reports whether git treats the text as binary. Such text has no lines.
func Binary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), binaryProbe)], 0) >= 0 }

// Countable reports whether a text is compared: it is not binary, and within MaxBytes and
// MaxLines.
func Countable(text []byte) bool {
	return len(text) <= MaxBytes && !Binary(text) && bytes.Count(text, []byte{'\n'}) < MaxLines
}

// text is a version with its lines as numbers. Two lines with the same ID are equal byte
// by byte, including their ends; two lines with the same form differ only in what formatters change.
type text struct {
	raw   []byte
	ids   []int32
	forms []int32
}

func (t text) part(lo, hi int) text { return text{ids: t.ids[lo:hi], forms: t.forms[lo:hi]} }

// lineTable assigns numbers to lines, the same for all versions of a history. It keeps the
// texts that it reads.
type lineTable struct {
	workspace *Workspace
	ids       numberTable
	forms     numberTable
	formOf    []int32 // by ID
	weight    []int32 // by form: the number of its characters
	formBytes []byte  // the texts of the forms, one after the other
}

// clear removes all lines.
func (w *lineTable) clear(r *Workspace) {
	w.workspace = r
	w.ids.clear()
	w.forms.clear()
	w.formOf, w.weight, w.formBytes = w.formOf[:0], w.weight[:0], w.formBytes[:0]
}

// grow reserves space for a text of n lines and size bytes, where every line may be new.
func (w *lineTable) grow(n, size int) {
	w.ids.grow(n)
	w.forms.grow(n)
	w.formOf = slices.Grow(w.formOf, n+n/8+32)
	w.weight = slices.Grow(w.weight, n+n/8+32)
	if size += size / 8; cap(w.formBytes)-len(w.formBytes) < size {
		w.formBytes = make([]byte, 0, size) // the earlier forms stay in the old array
	}
}

// read splits a text after each newline. Binary text has no lines.
func (w *lineTable) read(raw []byte) text { return w.readAfter(nil, raw) }

// lookAhead is how many lines after the expected one are compared with a line.
const lookAhead = 8

// readAfter is read for a text that is similar to an earlier one, whose line IDs are
// given: most lines then need no lookup.
func (w *lineTable) readAfter(before []int32, raw []byte) text {
	t := text{raw: raw}
	if Binary(raw) {
		return t
	}
	n := bytes.Count(raw, []byte{'\n'}) + 1
	t.ids, t.forms = w.workspace.int32Slab.take(n)[:0], w.workspace.int32Slab.take(n)[:0]
	if len(before) == 0 {
		w.grow(min(n, MaxLines), len(raw))
	}
	for line := range bytes.Lines(raw) {
		id := int32(-1)
		for k, was := range before[:min(lookAhead, len(before))] {
			if bytes.Equal(w.ids.keys[was], line) {
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

func (w *lineTable) number(line []byte) int32 {
	id, fresh := w.ids.number(line)
	if !fresh {
		return id
	}
	begin := len(w.formBytes)
	w.formBytes = appendBare(w.formBytes, line, false)
	form, fresh := w.forms.number(w.formBytes[begin:len(w.formBytes):len(w.formBytes)])
	if fresh {
		w.weight = append(w.weight, int32(utf8.RuneCount(w.formBytes[begin:])))
	} else {
		w.formBytes = w.formBytes[:begin]
	}
	w.formOf = append(w.formOf, form)
	return id
}

// Bare returns a line without what formatters change, also where they join or split lines: white space, the kind of
// quotes, semicolons, commas, the parentheses around the only parameter of an arrow function, and a byte order mark.
func Bare(line string) string { return string(appendBare(nil, []byte(line), true)) }

// appendBare appends a line as [Bare] returns it to dst. Without all it leaves out only the commas and semicolons before a
// closing bracket or the end of the line: in a row of numbers the others are content.
func appendBare(dst, line []byte, all bool) []byte {
	start := len(dst)
	for begin := 0; begin < len(line); {
		end := begin
		for end < len(line) && kept[line[end]] {
			end++
		}
		dst = append(dst, line[begin:end]...)
		if begin = end; begin == len(line) {
			break
		}
		n := 1
		switch c := line[begin]; {
		case c == ' ' || '\t' <= c && c <= '\r', (c == ',' || c == ';') && (all || closes(line[begin+1:])):
		case c == '"' || c == '`':
			dst = append(dst, '\'')
		case c == '>':
			dst = append(withoutParentheses(dst, start), c)
		case c >= utf8.RuneSelf:
			var r rune
			if r, n = utf8.DecodeRune(line[begin:]); !unicode.IsSpace(r) && (r != byteOrderMark || len(dst) > start) {
				dst = append(dst, line[begin:begin+n]...)
			}
		default:
			dst = append(dst, c)
		}
		begin += n
	}
	return dst
}

const byteOrderMark = '\ufeff'

// kept are the characters that formatters do not change.
var kept = func() (set [256]bool) {
	for c := '!'; c < utf8.RuneSelf; c++ {
		set[c] = !strings.ContainsRune(",;\"`>", c)
	}
	return set
}()

// withoutParentheses removes the parentheses around a name from the beginning of an arrow.
func withoutParentheses(dst []byte, start int) []byte {
	before, is := bytes.CutSuffix(dst[start:], []byte(")="))
	open := bytes.LastIndexByte(before, '(')
	if !is || open < 0 || !isWord(before[open+1:]) {
		return dst
	}
	return append(append(dst[:start+open], before[open+1:]...), '=')
}

// closes reports whether nothing but commas and semicolons stands before the end of a text or its first closing bracket.
func closes(text []byte) bool {
	rest := bytes.TrimLeftFunc(text, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) })
	return len(rest) == 0 || bytes.IndexByte([]byte(")]}"), rest[0]) >= 0
}

// isWord reports whether a text is a name.
func isWord(text []byte) bool {
	return len(text) > 0 && !bytes.ContainsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// appendForm appends a line without its white space to dst.
func appendForm(dst, line []byte) []byte {
	for begin := 0; begin < len(line); {
		end := begin
		for end < len(line) && line[end] > ' ' && line[end] < utf8.RuneSelf {
			end++
		}
		dst = append(dst, line[begin:end]...)
		for end < len(line) && (line[end] == ' ' || '\t' <= line[end] && line[end] <= '\r') {
			end++
		}
		if begin = end; begin == len(line) || line[begin] > ' ' && line[begin] < utf8.RuneSelf {
			continue
		}
		r, n := utf8.DecodeRune(line[begin:])
		if !unicode.IsSpace(r) {
			dst = append(dst, line[begin:begin+n]...)
		}
		begin += n
	}
	return dst
}
