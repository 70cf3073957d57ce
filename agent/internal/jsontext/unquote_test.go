package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestUnquote compares with the standard library.
func TestUnquote(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`""`, `"a"`, `"a\nb"`, `"\b\f\n\r\t\"\\\/"`, `"\u00e9\u2028\u0000"`, `"\ud83d\ude00 x"`, `"\ud83d"`, `"\ud83d\u0041"`, `"\udead\ud83d\ude00"`,
		"\"a\xffb\\n\"", `"` + strings.Repeat(`x\\`, 50) + `"`, `"\u00E9"`,
	} {
		sameText(t, raw)
	}
	for _, other := range []string{"", "1", "null", "{}"} {
		if got := Unquote([]byte(other)); got != "" {
			t.Errorf("%s: %q", other, got)
		}
	}
}

func sameText(t *testing.T, raw string) {
	t.Helper()
	var want string
	if !utf8.ValidString(raw) || json.Unmarshal([]byte(raw), &want) != nil {
		return
	}
	if got := Unquote([]byte(raw)); got != ValidUTF8(want) {
		t.Errorf("%s: %q, want %q", raw, got, want)
	}
}

func FuzzUnquote(f *testing.F) {
	for _, raw := range []string{`"a\nb"`, `"\ud83d\ude00"`, `"\u00`, `"\`, `"\"`, `"`} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if len(raw) > 1 && raw[0] == '"' && raw[len(raw)-1] == '"' {
			Unquote([]byte(raw))
			sameText(t, raw)
		}
	})
}
