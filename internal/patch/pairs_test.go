package patch_test

import (
	"fmt"
	"strings"
	"testing"

	"entire/internal/patch"
)

// hunk makes a hunk from lines that begin with their Op.
func hunk(t *testing.T, lines ...string) patch.Hunk {
	t.Helper()
	old, new := 0, 0
	for _, l := range lines {
		if l[0] != '+' {
			old++
		}
		if l[0] != '-' {
			new++
		}
	}
	text := fmt.Sprintf("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,%d +1,%d @@\n%s\n", old, new, strings.Join(lines, "\n"))
	files, err := patch.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return files[0].Hunks[0]
}

// marked shows a line with its marks in brackets.
func marked(l *patch.Line) string {
	if l == nil {
		return ""
	}
	out, at := "", 0
	for _, m := range l.Marks {
		out += l.Text[at:m.From] + "[" + l.Text[m.From:m.To] + "]"
		at = m.To
	}
	return out + l.Text[at:]
}

func TestPairs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a word", []string{"-return count + 1", "+return total + 1"}, []string{"return [count] + 1 | return [total] + 1"}},
		{"an insertion", []string{"-f(a, b)", "+f(ctx, a, b)"}, []string{"f(a, b) | f([ctx, ]a, b)"}},
		{"words apart", []string{"-if a == 1 && b == 2 {", "+if a == 7 && b == 9 {"}, []string{"if a == [1] && b == [2] { | if a == [7] && b == [9] {"}},
		{"indentation", []string{"-  x := 1", "+    x := 1"}, []string{"  x := 1 |   [  ]x := 1"}},
		{"carriage return", []string{"-x := 1", "+x := 1\r"}, []string{"x := 1 | x := 1[\r]"}},
		{"characters of several bytes", []string{"-say grün to all", "+say größer to all"}, []string{"say [grün] to all | say [größer] to all"}},
		{"nothing in common", []string{"-alpha beta", "+gamma delta"}, []string{"alpha beta | gamma delta"}},
		{"a line more before", []string{"-value := compute(x)", "+// a comment of its own", "+value := compute(y)"},
			[]string{" | // a comment of its own", "value := compute([x]) | value := compute([y])"}},
		{"removed and added", []string{" same", "-only here 1", "-kept := call(a)", "+kept := call(b)", "+unrelated text", " end"},
			[]string{"same | same", "only here 1 | ", "kept := call([a]) | kept := call([b])", " | unrelated text", "end | end"}},
		{"removed only", []string{"-a", "-b"}, []string{"a | ", "b | "}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := hunk(t, row.lines...)
			var got []string
			for _, p := range h.Pairs() {
				got = append(got, marked(p.Left)+" | "+marked(p.Right))
			}
			if strings.Join(got, "\n") != strings.Join(row.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(row.want, "\n"))
			}
		})
	}
}

// TestPairsOfLargeHunks: a hunk of any size is read; lines at the same place stay beside each other.
func TestPairsOfLargeHunks(t *testing.T) {
	t.Parallel()
	const n = 20_000
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("-the value of row %d is old", i))
	}
	for i := range n {
		lines = append(lines, fmt.Sprintf("+the value of row %d is new", i))
	}
	pairs := hunk(t, lines...).Pairs()
	if len(pairs) != n {
		t.Fatalf("%d rows, want %d", len(pairs), n)
	}
	if got, want := marked(pairs[n-1].Right), fmt.Sprintf("the value of row %d is [new]", n-1); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMarksOfLongLines: a long line has one mark from the first difference to the last.
func TestMarksOfLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x,", 1<<20)
	h := hunk(t, "-head old,"+long+"old tail", "+head new,"+long+"new tail")
	if m := h.Lines[0].Marks; len(m) != 1 || m[0] != (patch.Span{From: 5, To: 5 + 4 + len(long) + 3}) {
		t.Errorf("marks %v", m)
	}
}
