// Package redact removes secrets from text before it is stored.
// It is pure: the same input gives the same output, it reads and keeps nothing, and every function may
// be called from several goroutines. Redacting a result again does not change it. Secrets are replaced
// by Token; all other bytes stay the same.
// Secrets are found in three ways: by the default rules of gitleaks, compiled into a static table
// (rules_gen.go); by finders for secrets that those rules miss, such as passwords in URLs, in options
// of commands and in values of key-like names (own.go); and as runs of base64-like bytes with more
// entropy than words, paths, hashes and identifiers. All of them search the text and its decoded
// lines, to any depth (view.go). If a rule cannot be evaluated, the whole string is replaced. The time
// is linear in the length of the text.
// It does not scan files: it knows no file names, paths or commits.
package redact

import (
	"bytes"
	"encoding/json"
)

//go:generate go run gen/gen.go gen/conditions.go

// Token replaces a secret.
const Token = "REDACTED"

// Span is the half-open range of bytes [Start, End) of a secret.
type Span struct{ Start, End int }

// Scan returns the secrets of s in ascending order; spans neither overlap nor touch.
func Scan(s string) []Span { return std.scan(s, anyText) }

// Text redacts plain text.
func Text(s string) string { return std.text(s, anyText) }

// Line redacts one line of a JSONL file, without its newline. It examines strings in their decoded
// form and leaves all bytes outside of secrets unchanged, so valid JSON stays valid with the same keys
// in the same order. It treats a line that is not valid JSON as text. If nothing changes, it returns
// line itself.
func Line(line []byte) []byte { return std.line(line) }

// Lines redacts every line of data. It does not add or remove a final newline.
func Lines(data []byte) []byte {
	var out []byte // nil while nothing has changed
	done := 0      // data[:done] is in out, unless out is nil
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

// JSON redacts a JSON value, such as a tool's input, like Line.
func JSON(raw json.RawMessage) json.RawMessage { return std.line(raw) }

// same reports whether two slices are the same memory.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
