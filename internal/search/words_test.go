package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"The tests failed.", "the test fail"},
		{"parse_config", "pars config"},
		{"ParseHTTPServer2", "pars http server2"},
		{"sha256Sum", "sha256 sum"},
		{"getUserID", "get user id"},
		{"internal/git/status.go:12", "internal git status go 12"},
		{"retries retry retried retrying", "retry retry retry retry"},
		{"migrate migration migrations migrating", "migrat migrat migrat migrat"},
		{"caches cached caching cache", "cach cach cach cach"},
		{"running stopped", "run stop"},
		{"Ünïcödé straße", "unicod straße"},
		{"e\u0301te\u0301", "ete"},
		{"数据库abc", "数 据 库 abc"},
		{"", ""},
	} {
		var got []string
		for _, w := range splitWords(tt.text) {
			got = append(got, w.Text)
			if w.Start >= w.End || !utf8.ValidString(tt.text[w.Start:w.End]) {
				t.Errorf("%q: %q stands at %d to %d", tt.text, w.Text, w.Start, w.End)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, strings.Join(got, " "), tt.want)
		}
	}
}

// What is put into the index has the names too, each once.
func TestAppendWords(t *testing.T) {
	t.Parallel()
	v := newVocabulary()
	var got []string
	for _, n := range v.appendNumbers(nil, "parse_config calls parseConfig and parse_config of plain.words") {
		got = append(got, v.words[n])
	}
	want := strings.Fields("pars config call pars config and pars config of plain word parseconfig parseconfig")
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func FuzzWords(f *testing.F) {
	f.Add("aB_c é数\xff \u0301x")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, w := range splitWords(text) {
			if w.Start < end || w.End <= w.Start || w.End > len(text) {
				t.Fatalf("%q: a word from %d to %d after %d", text, w.Start, w.End, end)
			}
			if strings.ContainsAny(w.Text, "\" *()\x00") || len(w.Text) > wordBytes {
				t.Fatalf("%q: the word %q", text, w.Text)
			}
			end = w.End
		}
	})
}
