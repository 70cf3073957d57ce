// Package redact takes secrets out of text before anything is stored.
//
// It is pure: the same input gives the same output, nothing is read or kept, and
// every function may be called from several goroutines. A result redacted again
// does not change. What is found is replaced by Token; every other byte stays.
//
// Three things find secrets: the default rules of gitleaks, turned into a static
// table (rules_gen.go); finders of our own for what those do not know, such as
// passwords in URLs, options of commands and values of key-like names (own.go); and
// runs of base64-like bytes with more entropy than words, paths, hashes and
// identifiers have. All look at a text as it stands, and at what its lines decode
// to, to any depth (view.go). If a rule cannot be evaluated, the whole string it was
// meant for is replaced. The time grows with the length of a text, whatever is in it.
//
// It is not a scanner of files: it knows no names, no paths and no commits.
package redact

import (
	"bytes"
	"encoding/json"
)

//go:generate go run gen.go

// Token stands where a secret was.
const Token = "REDACTED"

// Span is the half-open range of bytes [Start, End) of a secret.
type Span struct{ Start, End int }

// Scan returns the secrets of s in ascending order; spans neither overlap nor touch.
func Scan(s string) []Span { return std.scan(s, anyText) }

// Text redacts plain text.
func Text(s string) string { return std.text(s, anyText) }

// Line redacts one line of a JSONL file, given without its newline. Strings are looked at as
// they decode, whatever their escapes; bytes that are not part of a secret stay as they are, so
// valid JSON remains valid with the same keys in the same order. A line that is not valid JSON
// is treated as text. The line itself is returned when nothing changes.
func Line(line []byte) []byte { return std.line(line) }

// Lines redacts every line of data. A final newline stays, or stays absent.
func Lines(data []byte) []byte {
	var out []byte // nil while nothing has changed
	done := 0      // data before done is in out, once there is one
	for at := 0; at < len(data); {
		end := at + lineLen(data[at:])
		line := data[at:end]
		if clean := Line(line); !same(clean, line) {
			out = append(append(out, data[done:at]...), clean...)
			done = end
		}
		at = end + 1
	}
	if out == nil {
		return data
	}
	return append(out, data[done:]...)
}

func lineLen(data []byte) int {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i
	}
	return len(data)
}

// JSON redacts a JSON value, such as a tool's input, by the rules of Line.
func JSON(raw json.RawMessage) json.RawMessage { return std.line(raw) }

// same says that two slices are one and the same.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
