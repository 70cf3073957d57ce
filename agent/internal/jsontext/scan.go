package jsontext

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// maxDepth bounds the nesting in a line; a line with deeper nesting is malformed and
// reaches no recursive parser.
const maxDepth = 1000

// EachMember calls fn with every member of the JSON object in line, raw. It looks into the
// values only to find their ends, because most lines of a transcript are skipped. It
// reports false for anything that does not have the outline of one object.
func EachMember(line []byte, fn func(key, value []byte)) bool {
	i := SkipSpace(line, 0)
	if At(line, i) != '{' {
		return false
	}
	i = SkipSpace(line, i+1)
	if At(line, i) == '}' {
		return SkipSpace(line, i+1) == len(line)
	}
	for {
		end := skipString(line, i)
		if end < 0 {
			return false
		}
		key := line[i+1 : end-1]
		if i = SkipSpace(line, end); At(line, i) != ':' {
			return false
		}
		i = SkipSpace(line, i+1)
		if end = SkipValue(line, i); end < 0 {
			return false
		}
		fn(key, line[i:end])
		i = SkipSpace(line, end)
		switch At(line, i) {
		case ',':
			i = SkipSpace(line, i+1)
		case '}':
			return SkipSpace(line, i+1) == len(line)
		default:
			return false
		}
	}
}

// At returns the byte at i, 0 beyond the end.
func At(b []byte, i int) byte {
	if i < len(b) {
		return b[i]
	}
	return 0
}

func SkipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skipString returns the offset after the string that begins at i, or -1.
func skipString(b []byte, i int) int {
	if At(b, i) != '"' {
		return -1
	}
	for start := i + 1; ; {
		n := bytes.IndexByte(b[start:], '"')
		if n < 0 {
			return -1
		}
		quote := start + n
		slashes := 0
		for b[quote-1-slashes] == '\\' {
			slashes++
		}
		start = quote + 1
		if slashes%2 == 0 {
			return start
		}
	}
}

// SkipValue returns the offset after the value that begins at i, or -1.
func SkipValue(b []byte, i int) int {
	switch At(b, i) {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func skipNested(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			end := skipString(b, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '{', '[':
			if depth++; depth > maxDepth {
				return -1
			}
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// Unquote returns the text of a raw JSON string, "" for any other value.
func Unquote(raw []byte) string {
	if At(raw, 0) != '"' {
		return ""
	}
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return ValidUTF8(string(raw))
	}
	var b strings.Builder
	b.Grow(len(raw))
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 == len(raw) {
			b.Write(raw)
			return ValidUTF8(b.String())
		}
		b.Write(raw[:i])
		raw = raw[i:]
		n := 2
		switch c := raw[1]; c {
		case 'b', 'f', 'n', 'r', 't':
			b.WriteByte("\b\f\n\r\t"[strings.IndexByte("bfnrt", c)])
		case 'u':
			var r rune
			r, n = escaped(raw)
			b.WriteRune(r)
		default:
			b.WriteByte(c)
		}
		raw = raw[n:]
	}
}

// escaped returns the rune of the escape with "u" that begins raw, or of two of them for a pair of
// surrogates, and the length of what it took.
func escaped(raw []byte) (r rune, n int) {
	if len(raw) < 6 {
		return utf8.RuneError, len(raw)
	}
	first, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError, 6
	}
	if r = rune(first); !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		if second, err := strconv.ParseUint(string(raw[8:12]), 16, 16); err == nil {
			if pair := utf16.DecodeRune(r, rune(second)); pair != utf8.RuneError {
				return pair, 12
			}
		}
	}
	return utf8.RuneError, 6
}

// ValidUTF8 makes text safe to encode as JSON and to read back unchanged.
func ValidUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// TextOf returns the text of a message's content: a string, or the text blocks of an
// array, separated by blank lines.
func TextOf(content gjson.Result) string {
	if content.Type == gjson.String {
		return ValidUTF8(content.Str)
	}
	if !content.IsArray() {
		return ""
	}
	var texts []string
	content.ForEach(func(_, block gjson.Result) bool {
		if block.Get("type").Str == "text" {
			if t := block.Get("text"); t.Type == gjson.String {
				texts = append(texts, ValidUTF8(t.Str))
			}
		}
		return true
	})
	return strings.Join(texts, "\n\n")
}

// Blank reports whether text is only JSON's white space.
func Blank(text []byte) bool { return SkipSpace(text, 0) == len(text) }
