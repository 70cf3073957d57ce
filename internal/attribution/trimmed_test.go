package attribution

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTrim: what a comparison finds does not depend on the lines that were left out.
func TestTrim(t *testing.T) {
	t.Parallel()
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"}\n", "{\n", "\n", "return nil\n", "\treturn nil\n", "a line of some length\n", "äö\n", "\tb\n", "b\n"}), 0, 9)
	var r, all Workspace
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string { return strings.Join(lines.Draw(t, name), "") }
		head, tail := draw("head"), draw("tail")+rapid.SampledFrom([]string{"", "c", " "}).Draw(t, "end")
		older, newer := []byte(head+draw("older")+tail), []byte(head+draw("newer")+tail)
		all.clear(effort)
		a, b := all.lineTable.read(older), all.lineTable.read(newer)
		part, found := r.longestOf(older, newer)
		if na, nb := part.lines(); na != len(a.ids) || nb != len(b.ids) {
			t.Fatalf("%d and %d lines, of %d and %d", na, nb, len(a.ids), len(b.ids))
		}
		if got, want := part.whole(found), all.longest(a, b); !slices.Equal(got, want) {
			t.Fatalf("longest: %v, of all lines %v", got, want)
		}
		part, got := r.compareTexts(older, newer)
		want := all.compare(a, b)
		if !slices.Equal(part.whole(got.of), want.of) {
			t.Fatalf("in place: %v, of all lines %v", part.whole(got.of), want.of)
		}
		for j, i := range want.moved {
			if k := j - part.before; i >= 0 && (k < 0 || k >= len(got.moved) || int(got.moved[k])+part.before != int(i)) {
				t.Fatalf("line %d is line %d moved: not found in %v", j, i, got.moved)
			}
		}
	})
}
