package attribution

import (
	"slices"
	"strings"
	"testing"
)

// TestTraceRewrapped: lines that a formatter ended elsewhere are the lines in which they began.
func TestTraceRewrapped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, older, newer string
		want               []int32
	}{
		{"split", "a\nx = call(first, second)\nb", "a\nx = call(\n  first,\n  second,\n)\nb", []int32{0, 1, 1, 1, 1, 2}},
		{"joined", "a\nx = call(\n  first,\n  second,\n)\nb", "a\nx = call(first, second);\nb", []int32{0, 1, 5}},
		{"wrapped elsewhere", "the quick brown\nfox jumps over\nthe dog", "the quick\nbrown fox\njumps over the dog", []int32{0, 0, 1}},
		{"a bracket that is another's", "f(one, two)\ng(\n)", "f(\none,\ntwo\n)\ng(\n)", []int32{0, 0, 0, 0, 1, 2}},
		{"a word more", "x = call(first, second)", "x = call(\n  first,\n  other,\n  second,\n)", []int32{-1, -1, -1, -1, -1}},
		{"a bracket below", "int f(int a) {\nreturn a", "int f(int a)\n{\nreturn a", []int32{0, 0, 1}},
		{"a bracket more", "if (a)\nb", "if (a) {\nb", []int32{-1, 1}},
		{"only brackets", "a\n{}\nb", "a\n{\n}\nb", []int32{0, -1, -1, 2}},
		{"written beside", "x = call(first, second)", "y = 1\nx = call(\n  first,\n  second,\n)\nz = 2", []int32{-1, 0, 0, 0, 0, -1}},
	} {
		if got := Trace([]byte(c.older+"\n"), []byte(c.newer+"\n")); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v\n%s", c.name, got, c.want, strings.ReplaceAll(c.newer, "\n", "|"))
		}
	}
}

// TestPrintLine: a text whose first NUL byte stands far from its beginning has lines, and so has that one a print.
func TestPrintLine(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("a line\n", 2000) + "x\x00y\n")
	all := PrintLines(text)
	if got := PrintLine([]byte("x\x00y\n")); len(all) != 2001 || got != all[2000] {
		t.Errorf("%d prints, %x", len(all), got)
	}
}
