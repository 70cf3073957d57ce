package redact

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "key = " + hex32, github, pemKey, "curl -u a:bcd x", "/a/" + mixed40, "\xff" + mixed40, "s." + mixed40[:24]} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Text(s)
		if twice := Text(once); twice != once {
			t.Errorf("%q is %q, then %q", s, once, twice)
		}
		if utf8.ValidString(s) && !utf8.ValidString(once) {
			t.Errorf("%q is no longer UTF-8: %q", s, once)
		}
	})
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{
		`{}`, `"`, `{"a":"` + github + `"}`, `{"` + github + `":{"` + github + `":"\u0067"}}`, `{"api_key":"` + hex32 + `"}`,
		`["\ud83d\ude00` + mixed40 + `\ud83d"]`, `{"type":"redacted_thinking","data":"` + signature() + `"}`, `{"t":"` + github,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		in := bytes.Clone(line)
		once := Line(line)
		if !bytes.Equal(in, line) {
			t.Fatalf("the argument %q became %q", in, line)
		}
		if twice := Line(once); !bytes.Equal(twice, once) {
			t.Errorf("%q is %q, then %q", line, once, twice)
		}
		if json.Valid(line) {
			checkSameShape(t, line, once)
		}
	})
}

// checkSameShape compares all of two JSON texts but the strings' contents.
func checkSameShape(t *testing.T, before, after []byte) {
	t.Helper()
	if !json.Valid(after) {
		t.Errorf("%s is no longer JSON: %s", before, after)
		return
	}
	a, b := tokens(before), tokens(after)
	if len(a) != len(b) {
		t.Errorf("%s has %d tokens, %s has %d", before, len(a), after, len(b))
		return
	}
	for i := range a {
		_, wasString := a[i].(string)
		_, isString := b[i].(string)
		if wasString != isString || !wasString && !reflect.DeepEqual(a[i], b[i]) {
			t.Errorf("token %v became %v", a[i], b[i])
		}
	}
}

func tokens(data []byte) []json.Token {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var list []json.Token
	for {
		t, err := dec.Token()
		if err != nil {
			return slices.Clip(list)
		}
		list = append(list, t)
	}
}

// FuzzIsJSON compares isJSON with encoding/json.
func FuzzIsJSON(f *testing.F) {
	for _, s := range []string{``, `1`, `-0.5e+7`, `01`, `1.`, `-`, `"a\u00e9\n"`, `"\x"`, "\"\x01\"", "\"\xff\"", `[1,]`, `[]`, `[ ]`, `{"a":[{}],"b":null}`,
		`{"a" : true , "b":false}`, `{,}`, `{"a"}`, `{"a":1`, ` [1] x`, `"abc`, `"\u12"`, `nul`, "\t[\n1\r, 2 ]\n", `{"a":1}}`, `[1}`, `1e5`, `1E`, `--1`,
	} {
		f.Add([]byte(s))
	}
	f.Add(bytes.Repeat([]byte("["), deepestJSON+1))
	f.Add([]byte(strings.Repeat("[", deepestJSON) + strings.Repeat("]", deepestJSON)))
	f.Add([]byte(strings.Repeat("[", deepestJSON+1) + strings.Repeat("]", deepestJSON+1)))
	f.Fuzz(func(t *testing.T, in []byte) {
		if got, want := isJSON(in), json.Valid(in); got != want {
			t.Errorf("isJSON(%q) = %v", in, got)
		}
	})
}
