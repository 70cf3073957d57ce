package jsontext

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Dashed returns a path with a dash for every UTF-16 unit that is not an ASCII letter or
// digit.
func Dashed(p string) string {
	var b strings.Builder
	for _, r := range p {
		switch {
		case IsAlnum(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			b.WriteString("--")
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

// IsAlnum reports whether r is an ASCII letter or digit.
func IsAlnum(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// maxWord bounds the length of an agent ID, so that it fits in a file name.
const maxWord = 128

// IsSafeName reports whether s is safe as part of a file name.
func IsSafeName(s string) bool {
	if s == "" || len(s) > maxWord {
		return false
	}
	for _, r := range s {
		if !IsAlnum(r) && r != '_' && r != '-' {
			return false
		}
	}
	return true
}

// MostTokens is more than one message can use; sums of it do not overflow.
const MostTokens = 1 << 40

// TokenCount returns a number of tokens, 0 for anything that is none.
func TokenCount(v gjson.Result) int {
	if v.Type != gjson.Number {
		return 0
	}
	return int(min(max(v.Int(), 0), MostTokens))
}

// FirstLine returns text up to its first line break, with a mark if there is more.
func FirstLine(text string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if rest != "" {
		line = strings.TrimRight(line, "\r") + " …"
	}
	return line
}

// PartText returns the text of a message's content: a string, a part, or an array of
// either. It leaves out the model's thoughts.
func PartText(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	var texts []string
	take := func(v gjson.Result) {
		if t := v.Get("text"); v.IsObject() && t.Type == gjson.String && v.Get("thought").Type != gjson.True {
			v = t
		}
		if v.Type == gjson.String && v.Str != "" {
			texts = append(texts, ValidUTF8(v.Str))
		}
	}
	content := gjson.ParseBytes(raw)
	if !content.IsArray() {
		take(content)
	}
	content.ForEach(func(_, part gjson.Result) bool {
		if content.IsArray() {
			take(part)
		}
		return true
	})
	return strings.Join(texts, "\n\n")
}

// Placeholder returns the text for a block that is not text.
func Placeholder(kind string) string {
	if !IsSafeName(kind) {
		kind = "attachment"
	}
	return "[" + kind + "]"
}

// AnyLineHas reports whether a whole line of text is a JSON object with all of the members. The name of a
// member inside another has a dot.
func AnyLineHas(text []byte, names ...string) bool {
	for line := range bytes.Lines(text) {
		has := func(name string) bool { return gjson.GetBytes(line, name).Exists() }
		if EachMember(line, func(_, _ []byte) {}) && !slices.ContainsFunc(names, func(name string) bool { return !has(name) }) {
			return true
		}
	}
	return false
}

// OneLine returns a copy of a raw value that fits on one line.
func OneLine(raw []byte) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	var b bytes.Buffer
	if bytes.IndexByte(raw, '\n') >= 0 && json.Compact(&b, raw) == nil {
		raw = b.Bytes()
	}
	if utf8.Valid(raw) {
		return bytes.Clone(raw)
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}
