package agent

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// maxDepth bounds the nesting in a line; a line with deeper nesting is malformed and
// reaches no recursive parser.
const maxDepth = 1000

// eachMember calls fn with every member of the JSON object in line, raw. It looks into the
// values only to find their ends, because most lines of a transcript are skipped. It
// reports false for anything that does not have the outline of one object.
func eachMember(line []byte, fn func(key, value []byte)) bool {
	i := skipSpace(line, 0)
	if at(line, i) != '{' {
		return false
	}
	i = skipSpace(line, i+1)
	if at(line, i) == '}' {
		return skipSpace(line, i+1) == len(line)
	}
	for {
		end := skipString(line, i)
		if end < 0 {
			return false
		}
		key := line[i+1 : end-1]
		if i = skipSpace(line, end); at(line, i) != ':' {
			return false
		}
		i = skipSpace(line, i+1)
		if end = skipValue(line, i); end < 0 {
			return false
		}
		fn(key, line[i:end])
		i = skipSpace(line, end)
		switch at(line, i) {
		case ',':
			i = skipSpace(line, i+1)
		case '}':
			return skipSpace(line, i+1) == len(line)
		default:
			return false
		}
	}
}

// at returns the byte at i, 0 beyond the end.
func at(b []byte, i int) byte {
	if i < len(b) {
		return b[i]
	}
	return 0
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skipString returns the offset after the string that begins at i, or -1.
func skipString(b []byte, i int) int {
	if at(b, i) != '"' {
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

// skipValue returns the offset after the value that begins at i, or -1.
func skipValue(b []byte, i int) int {
	switch at(b, i) {
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

// unquote returns the text of a raw JSON string, "" for any other value.
func unquote(raw []byte) string {
	if at(raw, 0) != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return valid(string(raw[1 : len(raw)-1]))
	}
	return valid(gjson.ParseBytes(raw).Str)
}

// valid makes text safe to encode as JSON and to read back unchanged.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// textOf returns the text of a message's content: a string, or the text blocks of an
// array, separated by blank lines.
func textOf(content gjson.Result) string {
	if content.Type == gjson.String {
		return valid(content.Str)
	}
	if !content.IsArray() {
		return ""
	}
	var texts []string
	content.ForEach(func(_, block gjson.Result) bool {
		if block.Get("type").Str == "text" {
			if t := block.Get("text"); t.Type == gjson.String {
				texts = append(texts, valid(t.Str))
			}
		}
		return true
	})
	return strings.Join(texts, "\n\n")
}

// blank reports whether text is only JSON's white space.
func blank(text []byte) bool { return skipSpace(text, 0) == len(text) }
