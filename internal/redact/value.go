package redact

import "strings"

// isPlaceholder reports whether v stands for another value: a variable, a template, dots, a word such
// as "example", or an already redacted secret.
func isPlaceholder(v string) bool {
	switch {
	case len(v) == 0 || strings.Contains(v, Token) || isFiller(v):
		return true
	case v[0] == '$' && (len(v) == 1 || v[1] == '{' || v[1] == '(' || v[1] == '$' || isWord(v[1:])):
		return true
	case v[0] == '<' && (v[len(v)-1] == '>' || strings.HasPrefix(v, "<%")), v[0] == '{', strings.HasPrefix(v, "&lt;"), v[0] == '%' && len(v) < 8:
		return true
	case v[0] == '%' && v[len(v)-1] == '%', v[0] == '@' && v[len(v)-1] == '@', v[0] == '[' && isWord(strings.TrimRight(v[1:], "]")):
		return true
	case strings.Contains(v, "${") || strings.Contains(v, "{{") || strings.Contains(v, "#{") || strings.Contains(v, "%("):
		return true
	}
	return containsAny(v, patterns) || containsAny(strings.ToLower(v), standIns)
}

// patterns are parts of regular expressions.
var patterns = []string{"[a-z", "[A-Z", "[0-9", "[^", "(?", `\w`, `\d`, `\s`, ".*"}

// standIns are words that mark a value as a placeholder.
var standIns = []string{"example", "placeholder", "changeme", "change-me", "change_me", "your_", "your-", "my_pass", "process.env",
	"environ", "getenv", "undefined", "not-set", "not_set", "redacted", "insert_", "replace_", "dummy", "somepass", "xxxx"}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// isFiller reports whether v is one repeated byte, or consists only of dots, stars and dashes.
func isFiller(v string) bool {
	only, plain := true, true
	for i := range len(v) {
		only = only && v[i] == v[0]
		plain = plain && (v[i] == '.' || v[i] == '*' || v[i] == '-' || v[i] == '_' || v[i] == '=')
	}
	return only || plain
}

// isWord reports whether v consists of letters, digits and underscores, and does not begin with a
// digit.
func isWord(v string) bool {
	return len(v) > 0 && v[0]-'0' >= 10 && skip(v, 0, len(v), &wordByte) == len(v)
}

// shape counts the bytes of a value by class.
type shape struct{ letters, digits, symbols, blanks int }

func shapeOf(v string) (h shape) {
	for i := range len(v) {
		switch c := v[i]; {
		case isAlnum(c) && classOf(c) == digit:
			h.digits++
		case isAlnum(c) || c >= 128:
			h.letters++
		case spaceByte.has(c):
			h.blanks++
		case c == '_' || c == '-' || c == '.':
		default:
			h.symbols++
		}
	}
	return h
}

// isReference reports whether v is an expression of code: identifiers joined by dots, colons or
// arrows, a call, or a name in capitals.
func isReference(v string) bool {
	capitals := true
	for i := 0; i < len(v); {
		end := skip(v, i, len(v), &wordByte)
		if end == i || v[i]-'0' < 10 {
			return false
		}
		h := shapeOf(v[i:end])
		capitals = capitals && strings.ToUpper(v[i:end]) == v[i:end] && h.digits == 0
		switch {
		case end == len(v):
			return i > 0 || capitals && strings.IndexByte(v, '_') > 0
		case v[end] == '(':
			return true
		}
		if i = end + joint(v[end:]); i == end {
			return false
		}
	}
	return false
}

// joint returns the length of the operator that joins two identifiers at the start of s.
func joint(s string) int {
	for _, j := range []string{".", "?.", "!.", "::", "->"} {
		if strings.HasPrefix(s, j) {
			return len(j)
		}
	}
	return 0
}

// isLocation reports whether v is a path or a URL.
func isLocation(v string) bool {
	return v[0] == '/' || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "~/") || strings.Contains(v, "://")
}

// isLabel reports whether v consists of letters and separators and names a field, a key of a table
// or a label.
func isLabel(v string) bool {
	h := shapeOf(v)
	if h.digits > 1 || h.symbols > 0 {
		return false
	}
	return namesSecret(v)
}

func namesSecret(v string) bool {
	return containsAny(strings.ToLower(v), []string{"pass", "secret", "token", "key", "auth", "cred", "pwd"})
}
