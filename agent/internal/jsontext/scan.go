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
	end := WalkValues(line, SkipSpace(line, 0), fn)
	return end >= 0 && SkipSpace(line, end) == len(line)
}

// WalkValues is EachMember for the object that begins at i. It returns the offset after the object, or -1.
func WalkValues(text []byte, i int, fn func(key, value []byte)) int {
	return Walk(text, i, func(key []byte, at int) int {
		end := SkipValue(text, at)
		if end >= 0 {
			fn(key, text[at:end])
		}
		return end
	})
}

// Walk calls fn with every member of the JSON object that begins at i: its key, and the offset of its value.
// fn returns the offset after the value, as SkipValue does, so that a nested object can be walked in the
// same pass. Walk returns the offset after the object, or -1 for anything else and where fn does.
func Walk(text []byte, i int, fn func(key []byte, at int) int) int {
	if At(text, i) != '{' {
		return -1
	}
	if i = SkipSpace(text, i+1); At(text, i) == '}' {
		return i + 1
	}
	for {
		end := skipString(text, i)
		if end < 0 {
			return -1
		}
		key := text[i+1 : end-1]
		if i = SkipSpace(text, end); At(text, i) != ':' {
			return -1
		}
		if end = fn(key, SkipSpace(text, i+1)); end < 0 {
			return -1
		}
		i = SkipSpace(text, end)
		switch At(text, i) {
		case ',':
			i = SkipSpace(text, i+1)
		case '}':
			return i + 1
		default:
			return -1
		}
	}
}

// WalkItems calls fn with the offset of every element of the JSON array that begins at i. fn and the result
// are as those of Walk.
func WalkItems(text []byte, i int, fn func(at int) int) int {
	if At(text, i) != '[' {
		return -1
	}
	if i = SkipSpace(text, i+1); At(text, i) == ']' {
		return i + 1
	}
	for {
		if i = fn(i); i < 0 {
			return -1
		}
		i = SkipSpace(text, i)
		switch At(text, i) {
		case ',':
			i = SkipSpace(text, i+1)
		case ']':
			return i + 1
		default:
			return -1
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

// ObjectIn reads a line that is one JSON object. Its strings are safe to encode as JSON and to read back unchanged.
func ObjectIn(line []byte) (v gjson.Result, ok bool) {
	if !gjson.ValidBytes(line) {
		return v, false
	}
	v = gjson.Parse(ValidUTF8(string(line)))
	return v, v.IsObject()
}

// ValidUTF8 makes text safe to encode as JSON and to read back unchanged.
func ValidUTF8(s string) string {
	if utf8.ValidString(s) { // much faster than to look for what is not
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// StringIn returns a string value as valid UTF-8, "" for any other value.
func StringIn(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return ValidUTF8(v.Str)
}

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
