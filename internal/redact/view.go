package redact

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// deepest is the most levels that a text is decoded. Escaping can double the length each time, so only
// a text made for it is deeper; all of it counts as a secret.
const deepest = 24

// view is the decoded form of the encoded lines of a text: escapes of JSON and source code, percent
// encoding, and terminal colours. It does not contain the other lines.
type view struct {
	text  string
	parts []part // ascending in both texts
	over  *view  // the view this one was decoded from; nil: the text itself
}

// part is a piece of a view and of the text below it. Pieces of equal length are equal.
type part struct{ at, n, from, width int }

// encoded reports whether s may have lines to decode.
func encoded(s string) bool {
	return strings.IndexByte(s, '\\') >= 0 || strings.IndexByte(s, '%') >= 0 || strings.IndexByte(s, esc) >= 0
}

const esc = '\x1b'

var (
	markByte = setOf("\\%\x1b")
	newline  = setOf("\n")
)

// viewOf returns the view of s, or nil if nothing in it is encoded.
func viewOf(s string) *view {
	var b strings.Builder
	v := new(view)
	last := 0
	var m marks
	for i := m.next(s, 0); i < len(s); i = m.next(s, i) {
		if n, _ := encodedUnit(s[i:]); n == 1 {
			i++
			continue
		}
		start := strings.LastIndexByte(s[:i], '\n') + 1
		if b.Len() > 0 && start > last {
			b.WriteString(apart)
		}
		last = until(s, i, len(s), &newline)
		v.decode(&b, s, start, last)
		i = last
		last++
	}
	if v.parts == nil {
		return nil
	}
	v.text = b.String()
	return v
}

// marks are the next positions of the bytes that begin an encoding.
type marks struct{ slash, percent, escape int }

// next returns the first of them in s at or after i, or the end of s.
func (m *marks) next(s string, i int) int {
	for _, p := range []struct {
		at *int
		c  byte
	}{{&m.slash, '\\'}, {&m.percent, '%'}, {&m.escape, esc}} {
		if *p.at >= i && i > 0 {
			continue
		}
		if *p.at = strings.IndexByte(s[i:], p.c); *p.at < 0 {
			*p.at = len(s)
		} else {
			*p.at += i
		}
	}
	return min(m.slash, m.percent, m.escape)
}

// apart separates lines that do not follow each other: no rule matches across so many newlines.
const apart = "\n\n\n\n\n\n\n\n\n\n\n\n"

// shellQuote is a quote inside a string that a shell reads between quotes.
const shellQuote = `'\''`

// decode adds the line s[i:end].
func (v *view) decode(b *strings.Builder, s string, i, end int) {
	for plain := i; ; {
		j := until(s, i, end, &markByte)
		n, r := 1, rune(-1)
		switch {
		case j == end:
		case j > plain && strings.HasPrefix(s[j-1:end], shellQuote):
			j, n, r = j-1, len(shellQuote), '\''
		default:
			if n, r = encodedUnit(s[j:end]); n == 1 {
				i = j + 1
				continue
			}
		}
		if j > plain {
			v.parts = append(v.parts, part{b.Len(), j - plain, plain, j - plain})
			b.WriteString(s[plain:j])
		}
		if j == end {
			b.WriteByte('\n')
			return
		}
		at := b.Len()
		if r >= 0 {
			b.WriteRune(r)
		}
		v.parts = append(v.parts, part{at, b.Len() - at, j, n})
		i, plain = j+n, j+n
	}
}

// next returns the view of this view, or nil if nothing in it is encoded.
func (v *view) next() *view {
	w := viewOf(v.text)
	if w != nil {
		w.over = v
	}
	return w
}

// back returns the span of the original text that decoded to sp.
func (v *view) back(sp Span) Span {
	for ; v != nil; v = v.over {
		sp = Span{v.place(sp.Start, false), v.place(sp.End-1, true)}
	}
	return sp
}

// place returns where byte i of the view begins, or ends, in the text below.
func (v *view) place(i int, end bool) int {
	k := sort.Search(len(v.parts), func(k int) bool { return v.parts[k].at+v.parts[k].n > i })
	if k == len(v.parts) || i < v.parts[k].at { // between two lines
		before := v.parts[k-1]
		return before.from + before.width
	}
	p := v.parts[k]
	switch {
	case p.n == p.width && end:
		return p.from + i - p.at + 1
	case p.n == p.width:
		return p.from + i - p.at
	case end:
		return p.from + p.width
	}
	return p.from
}

// encodedUnit returns the length of the encoded unit at the start of s and what it decodes to, -1 for
// nothing. For a byte that is not encoded, it returns the length 1.
func encodedUnit(s string) (n int, r rune) {
	if len(s) < 2 {
		return 1, -1
	}
	switch s[0] {
	case '%':
		if len(s) > 2 && isHex(s[1]) && isHex(s[2]) {
			if r := hexRune(s[1:3]); r >= ' ' && r < utf8.RuneSelf || r == '\n' || r == '\t' || r == '\r' {
				return 3, r
			}
		}
		return 1, -1
	case esc:
		return colour(s), -1
	}
	switch c := s[1]; c {
	case '"', '\'', '/', '\\', '`':
		return 2, rune(c)
	case 'n', 'r', 't', 'b', 'f':
		r, n := escape([]byte(s[:2]))
		return n, r
	case 'u':
		if len(s) >= 6 && allHex(s[2:6]) {
			r, n := escape([]byte(s[:min(len(s), 12)]))
			return n, r
		}
	case 'x':
		if len(s) >= 4 && allHex(s[2:4]) {
			return 4, hexRune(s[2:4])
		}
	case 'e':
		if len(s) > 2 && s[2] == '[' {
			return 2, esc
		}
	case '0':
		if strings.HasPrefix(s, `\033`) {
			return 4, esc
		}
	}
	return 1, -1
}

func allHex(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

func hexRune(s string) rune { return hex4([]byte("00" + s)) }

// colour returns the length of the control sequence at the start of s, or 1 if there is none.
func colour(s string) int {
	if s[1] != '[' {
		return 1
	}
	i := 2
	for i < len(s) && i < 64 && s[i] >= ' ' && s[i] < '@' {
		i++
	}
	if i < len(s) && s[i] >= '@' && s[i] <= '~' {
		return i + 1
	}
	return 1
}
