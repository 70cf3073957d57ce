package redact

import (
	"unicode/utf16"
	"unicode/utf8"
)

// unit returns the length of the first unit of an encoded string and of what it decodes to.
func unit(raw []byte) (n, width int) {
	if raw[0] != '\\' {
		return 1, 1
	}
	r, n := escape(raw)
	return n, utf8.RuneLen(r)
}

// escape decodes the escape sequence that raw begins with; of surrogates both, if they are a pair.
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
