package legible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	joiner         = '\u200d' // joins emoji into one
	emojiSelector  = '\ufe0f'
	firstPictogram = '\u2190'
)

// Text returns s with an escape in place of each character that a terminal would obey or
// not show. It keeps line feeds and tabs, and the joiner within an emoji.
func Text(s string) string {
	if plain(s) {
		return s
	}
	var c cleaner
	out, rest := c.clean(nil, []byte(s), true)
	return string(append(out, rest...))
}

// Line is Text on one line: line breaks become "; ".
func Line(s string) string {
	breaks := func(r rune) bool { return r == '\n' || r == '\r' }
	if strings.ContainsAny(s, "\n\r") {
		s = strings.Join(strings.FieldsFunc(s, breaks), "; ")
	}
	return Text(s)
}

// plain reports whether s has only printable ASCII, line feeds and tabs.
func plain(s string) bool { return plainPrefix(s) == len(s) }

// plainPrefix returns the number of bytes before the first one that is not printable ASCII,
// a line feed or a tab.
func plainPrefix[S string | []byte](s S) int {
	for i := range len(s) {
		if b := s[i]; b < ' ' && b != '\n' && b != '\t' || b >= 0x7f {
			return i
		}
	}
	return len(s)
}

// hidden reports whether a terminal obeys or does not show r. Some of Unicode's format
// characters are visible, such as the sign before an Arabic number.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ':
		return true
	case r < 0x7f:
		return false
	case r >= 0xe0100 && r <= 0xe01ef: // selectors that can encode a text
		return true
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// pictogram reports whether an emoji may begin with r.
func pictogram(r rune) bool {
	return r >= firstPictogram && r != utf8.RuneError && unicode.Is(unicode.So, r)
}

// endsPictogram reports whether an emoji may end with r.
func endsPictogram(r rune) bool {
	return pictogram(r) || r == emojiSelector || r >= firstPictogram && unicode.Is(unicode.Sk, r)
}

// appendEscape appends r as a readable escape. Beyond ASCII it uses JSON's form, because
// JSON allows these characters in a string.
func appendEscape(dst []byte, r rune) []byte {
	switch {
	case r == '\r':
		return append(dst, `\r`...)
	case r < ' ':
		return fmt.Appendf(dst, `\x%02x`, r)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}

// A cleaner processes text that arrives in pieces.
type cleaner struct {
	mark   string // what follows "\x1b[" in this program's own sequences; "" if none may pass
	redraw bool   // a line may be written again
	last   rune   // the last rune before the piece
}

// clean appends the clean form of src to dst, and returns the bytes that depend on the
// next piece; at the end of the text there are none.
func (c *cleaner) clean(dst, src []byte, end bool) (out, rest []byte) {
	for len(src) > 0 {
		if n := plainPrefix(src); n > 0 {
			dst, c.last, src = append(dst, src[:n]...), rune(src[n-1]), src[n:]
			continue
		}
		if !end && c.undecided(src) {
			return dst, src
		}
		if n := c.own(src); n > 0 {
			dst = append(append(dst, "\x1b["...), src[2+len(c.mark):n]...)
			src = src[n:]
			continue
		}
		r, n := utf8.DecodeRune(src)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = fmt.Appendf(dst, `\x%02x`, src[0])
		case r == '\r' && len(src) > 1 && src[1] == '\n':
		case r == '\r' && c.redraw:
			dst = append(dst, '\r')
		case hidden(r) && !c.joins(r, src[n:]):
			dst = appendEscape(dst, r)
		default:
			dst = append(dst, src[:n]...)
		}
		c.last, src = r, src[n:]
	}
	return dst, nil
}

// joins reports whether r joins the emoji before it to the one that after begins with.
func (c *cleaner) joins(r rune, after []byte) bool {
	if r != joiner || !endsPictogram(c.last) {
		return false
	}
	next, _ := utf8.DecodeRune(after)
	return pictogram(next)
}

// own returns the length of one of this program's sequences at the beginning of src, 0 if
// there is none. Only sequences with the mark count, which others cannot guess.
func (c *cleaner) own(src []byte) int {
	if c.redraw && strings.HasPrefix(string(src[:min(len(src), 3)]), "\x1b[K") {
		return 3
	}
	if c.mark == "" || len(src) < 2+len(c.mark) || string(src[:2]) != "\x1b[" || string(src[2:2+len(c.mark)]) != c.mark {
		return 0
	}
	for i := 2 + len(c.mark); i < min(len(src), 2+len(c.mark)+longest); i++ {
		switch b := src[i]; {
		case b == 'm':
			return i + 1
		case b != ';' && (b < '0' || b > '9'):
			return 0
		}
	}
	return 0
}

// longest is more than the length of any own sequence after its mark.
const longest = 32

// undecided reports whether src may be the beginning of a sequence that only its end makes
// clear.
func (c *cleaner) undecided(src []byte) bool {
	switch src[0] {
	case '\r':
		return len(src) == 1
	case '\x1b':
		begun := "\x1b[" + c.mark
		if len(src) < len(begun) {
			return (c.mark != "" || c.redraw) && strings.HasPrefix(begun, string(src))
		}
		return c.mark != "" && strings.HasPrefix(string(src[:len(begun)]), begun) && len(src) < len(begun)+longest &&
			strings.Trim(string(src[len(begun):]), "0123456789;") == ""
	}
	if !utf8.FullRune(src) {
		return true
	}
	r, n := utf8.DecodeRune(src)
	return r == joiner && endsPictogram(c.last) && !utf8.FullRune(src[n:])
}
