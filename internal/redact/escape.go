package redact

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// raw redacts the content of a JSON string that decodes to s. It changes only the bytes of secrets.
func (e *engine) raw(raw []byte, s string, scan func(string) []Span) []byte {
	for range rounds {
		spans := scan(s)
		if len(spans) == 0 {
			return raw
		}
		raw = replaceRaw(raw, spans)
		s = decode(raw)
	}
	return []byte(Token)
}

// replaceRaw replaces spans of the decoded string in its encoded form.
func replaceRaw(raw []byte, spans []Span) []byte {
	out := make([]byte, 0, len(raw))
	at, pos, inside := 0, 0, false // pos is the decoded position of raw[at]
	for at < len(raw) && len(spans) > 0 {
		n, width := unit(raw[at:])
		switch {
		case pos+width <= spans[0].Start:
			out = append(out, raw[at:at+n]...)
		case !inside:
			out = append(out, Token...)
			inside = true
		}
		at, pos = at+n, pos+width
		for len(spans) > 0 && pos >= spans[0].End {
			spans, inside = spans[1:], false
		}
	}
	return append(out, raw[at:]...)
}

// decode decodes the content of a JSON string.
func decode(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	var b strings.Builder
	b.Grow(len(raw))
	for i := 0; i < len(raw); {
		j := bytes.IndexByte(raw[i:], '\\')
		if j < 0 {
			b.Write(raw[i:])
			break
		}
		b.Write(raw[i : i+j])
		i += j
		r, n := escape(raw[i:])
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// unit returns the length of the first unit of an encoded string, and the length of its decoded form.
func unit(raw []byte) (n, width int) {
	if raw[0] != '\\' {
		return 1, 1
	}
	r, n := escape(raw)
	return n, utf8.RuneLen(r)
}

// escape decodes the escape sequence at the start of raw, or both sequences of a surrogate pair.
func escape(raw []byte) (r rune, n int) {
	switch c := raw[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r = hex4(raw[2:])
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
			if both := utf16.DecodeRune(r, hex4(raw[8:])); both != utf8.RuneError {
				return both, 12
			}
		}
		return utf8.RuneError, 6
	default:
		return rune(c), 2
	}
}

func hex4(raw []byte) (r rune) {
	for _, c := range raw[:4] {
		switch {
		case c-'0' < 10:
			r = r<<4 | rune(c-'0')
		default:
			r = r<<4 | rune((c|0x20)-'a'+10)
		}
	}
	return r
}
