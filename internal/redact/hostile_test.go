package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// These texts make a search quadratic that looks on from each of its findings to the end. None
// of the tests reads a clock: where the time grows with the square, 3 MB take an hour.

// TestHostileLine redacts lines of 3 MB, or of 10 MB in `make full`.
func TestHostileLine(t *testing.T) {
	t.Parallel()
	size := testrepo.Amount(3<<20, 10<<20)
	for _, tt := range hostileLines() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			line := tt.head + strings.Repeat(tt.piece, size/len(tt.piece)) + tt.tail
			clean := Line([]byte(line))
			if tt.secret != "" && strings.Contains(string(clean), tt.secret) {
				t.Errorf("%q is still there", tt.secret)
			}
			if len(clean) < len(line)/100*98 {
				t.Errorf("%d bytes are left", len(clean))
			}
		})
	}
}

// hostileLine is head, then piece as often as fits, then tail.
type hostileLine struct{ name, head, piece, tail, secret string }

func hostileLines() []hostileLine {
	var names strings.Builder
	for _, w := range assignedWords() {
		names.WriteString(w + "=")
	}
	end := " " + github
	return []hostileLine{
		{"name and operator", "", "password=", "", ""},
		{"every name", "", names.String(), "", ""},
		{"names and spaces", "", "key = token = ", end, github},
		{"names in JSON", "", `{"password":`, end, github},
		{"names and escapes", "", `\"secret\": `, end, github},
		{"name and placeholder", "", "password=REDACTED", end, github},
		{"separators", "", "=:=,", end, github},
		{"quotes", "", `"'` + "`", end, github},
		{"backslashes", "", `\`, end, github},
		{"base64", "", strings.Repeat("QUJD", 16), "", ""},
		{"one run", "", "a", end, github},
		{"paths", "", "/usr/lib", end, github},
		{"begin of a key", "", "-----BEGIN ", end, github},
		{"one command", "", "curl ", end, github},
		{"escapes in JSON", `{"t":"`, `\\\"`, " " + github + `"}`, github},
		{"arrays in JSON", `{"token":[`, `"a b",`, `"` + github + `"]}`, github},
		{"thinking", `{"type":"redacted_thinking","x":[`, `{"data":"` + strings.Repeat("QUJD", 16) + `"},`, `"` + github + `"]}`, github},
	}
}

func assignedWords() (words []string) {
	for i := range ruleTable {
		words = append(words, ruleTable[i].assign...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// TestHostileKeywords repeats what each of the rules looks for.
func TestHostileKeywords(t *testing.T) {
	t.Parallel()
	size := testrepo.Amount(16<<10, 64<<10)
	for i := range ruleTable {
		r := &ruleTable[i]
		words := slices.Concat(r.words, r.assign)
		for _, a := range r.anchors {
			words = append(words, a.lit)
		}
		for _, w := range words {
			for _, behind := range []string{"", "=", " ", "\": \""} {
				if piece := w + behind; Text(strings.Repeat(piece, size/len(piece))) == "" {
					t.Errorf("nothing is left of %q", piece)
				}
			}
		}
	}
}

// TestHostileKeys redacts objects with very many keys that are secrets, and one key of every
// object on a deep path.
func TestHostileKeys(t *testing.T) {
	t.Parallel()
	const members, depth = 20_000, 5_000
	var wide, deep strings.Builder
	for i := range members {
		fmt.Fprintf(&wide, `"%s%05d":1,`, github[:35], i)
	}
	for range depth {
		fmt.Fprintf(&deep, `{"%s":"%s","a":`, github, strings.Repeat("word ", 200))
	}
	for _, line := range []string{`{` + wide.String() + `"a":1}`, deep.String() + "1" + strings.Repeat("}", depth)} {
		if clean := Line([]byte(line)); strings.Contains(string(clean), github[:35]) {
			t.Error("a secret is left")
		}
	}
}

// TestHostileFindings redacts a text with as many secrets as are looked for one by one, and one
// with many things that an allowlist takes for none.
func TestHostileFindings(t *testing.T) {
	t.Parallel()
	var secrets, allowed strings.Builder
	for i := range maxSecrets - 1 {
		fmt.Fprintf(&secrets, "key = %04dx7Kp2mQ9vL4wZ1sT ", i)
		fmt.Fprintf(&allowed, "key = %dabcdefghijklmnopqrstuvwxyz ", i)
	}
	filler := strings.Repeat("0001x7Kp and other words ", 200_000)
	if clean := Text(secrets.String() + filler); strings.Contains(clean, "x7Kp2m") || len(clean) < len(filler) {
		t.Errorf("%d bytes are left", len(clean))
	}
	if clean := Text(allowed.String() + filler); len(clean) < len(filler) {
		t.Errorf("%d bytes are left", len(clean))
	}
}
