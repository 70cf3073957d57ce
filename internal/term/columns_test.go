package term

import (
	"io"
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	t.Parallel()
	loud := func(s string) string { return "<" + s + ">" }
	rows := [][]Cell{
		Plain("ID", "N", "TITLE"),
		{{Text: "日本", Style: loud}, {Text: "1"}, {Text: "one two three"}},
		Plain("a", "100", ""),
	}
	for _, test := range []struct {
		name  string
		width int
		want  string
	}{
		{"as wide as it is", 0, "ID      N  TITLE\n<日本>    1  one two three\na     100  \n"},
		{"cut", 20, "ID      N  TITLE\n<日本>    1  one two …\na     100  \n"},
		{"no room at all", 3, "ID      N  …\n<日本>    1  …\na     100  \n"},
	} {
		if got := Columns(rows, test.width, 1); got != test.want {
			t.Errorf("%s:\n%q\nwant\n%q", test.name, got, test.want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"ab", 1, "…"},
	} {
		if got := Cut(test.text, test.width); got != test.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestPagedWithoutTerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := Terminal{Out: &out}.Paged(t.Context(), "exit 1", nil, func(w io.Writer) error {
		_, err := io.WriteString(w, "text\n")
		return err
	})
	if err != nil || out.String() != "text\n" {
		t.Errorf("Paged wrote %q, %v", out.String(), err)
	}
}
