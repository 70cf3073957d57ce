package attribution

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// drawText draws a text whose lines are much alike, and alike but for white space.
func drawText(t *rapid.T, name string) []byte {
	word := rapid.SampledFrom([]string{"", "a", "b", "return nil", "}", "},", "a;", "x\u00a0y", "é", "\xff", "\x01", "a line of some length"})
	space := rapid.SampledFrom([]string{"", "", " ", "\t", "\u2003", "  "})
	end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n"})
	var b strings.Builder
	for range rapid.IntRange(0, 60).Draw(t, name) {
		b.WriteString(space.Draw(t, "indent") + word.Draw(t, "word") + space.Draw(t, "space") + word.Draw(t, "word") + end.Draw(t, "end"))
	}
	return []byte(b.String() + word.Draw(t, "last"))
}

// separators are those that a formatter puts, and what closes behind them.
var separators = regexp.MustCompile(`[,;]+([)\]}]|$)`)

// TestWordsNumberLines: equal lines have equal numbers, and so have the forms of
// lines that differ only in what formatters change, in whatever order and room they are read.
func TestWordsNumberLines(t *testing.T) {
	t.Parallel()
	var room Workspace
	rapid.Check(t, func(t *rapid.T) {
		room.clear(effort)
		w := &room.lineTable
		lines, forms := map[string]int32{}, map[string]int32{}
		var before []int32
		for range rapid.IntRange(1, 4).Draw(t, "texts") {
			raw := drawText(t, "lines")
			got := w.readAfter(before, raw)
			before = got.ids
			i := 0
			for line := range bytes.Lines(raw) {
				form := separators.ReplaceAllString(string(slices.Concat(bytes.FieldsFunc(line, unicode.IsSpace)...)), "$1")
				wantNumber(t, lines, string(line), got.ids[i])
				wantNumber(t, forms, form, got.forms[i])
				if n := int(w.weight[got.forms[i]]); n != utf8.RuneCountInString(form) {
					t.Fatalf("%q weighs %d", form, n)
				}
				i++
			}
			if i != len(got.ids) || i != len(got.forms) {
				t.Fatalf("%d lines have %d numbers and %d forms", i, len(got.ids), len(got.forms))
			}
		}
	})
}

func TestBare(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"\ufeffpackage main\r\n":           "packagemain",
		"\tx := f(\"a\", `b`);\n":          "x:=f('a''b')",
		"list.map((each) => each.name),\n": "list.map(each=>each.name)",
		"f((a = 1) => a)\n":                "f((a=1)=>a)",
		"f(() => { g() })\n":               "f(()=>{g()})",
		" ;\n":                             "",
		"f(a, [1, 2,],);\n":                "f(a[12])",
	} {
		if got := Bare(line); got != want {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
	for line, want := range map[string]string{
		"f(a, [1, 2,],);\n": "f(a,[1,2])",
		"1,23;4\n":          "1,23;4",
	} {
		if got := string(appendBare(nil, []byte(line), false)); got != want {
			t.Errorf("as a form, %q: %q, not %q", line, got, want)
		}
	}
}

func wantNumber(t *rapid.T, known map[string]int32, key string, got int32) {
	want, ok := known[key]
	if !ok {
		want = int32(len(known))
		known[key] = want
	}
	if got != want {
		t.Fatalf("%q is number %d, not %d", key, got, want)
	}
}

// TestRoomHasNoMemory: a history says the same whatever was told in its room before.
func TestRoomHasNoMemory(t *testing.T) {
	t.Parallel()
	var room Workspace
	rapid.Check(t, func(t *rapid.T) {
		base := drawText(t, "base")
		used, fresh := room.Begin(base), new(Workspace).Begin(base)
		for i := range rapid.IntRange(0, 4).Draw(t, "steps") {
			v := Version{Text: drawText(t, "text"), After: rapid.IntRange(-1, i).Draw(t, "after"),
				Owner: rapid.SampledFrom([]Owner{{Class: Person}, {Class: Agent, Session: "a"}, {Class: Agent, Session: "b"}}).Draw(t, "by")}
			used.Step(v)
			fresh.Step(v)
		}
		if a, b := used.AppendLines(nil), fresh.AppendLines(nil); !slices.Equal(a, b) {
			t.Fatalf("lines\n%v\n%v", a, b)
		}
		a, b := used.Commit(base), fresh.Commit(base)
		if !slices.Equal(a.Lines, b.Lines) || !slices.Equal(a.Removed, b.Removed) {
			t.Fatalf("commit\n%v\n%v", a, b)
		}
	})
}
