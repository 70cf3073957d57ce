package attributioncmd

import (
	"slices"
	"testing"
)

func TestTakeOutput(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		o    attributionOptions
		args []string
		rest []string
		file string
	}{
		{attributionOptions{html: true}, []string{"A..B", "who.html"}, []string{"A..B"}, "who.html"},
		{attributionOptions{html: true}, []string{"who.html", "A..B"}, []string{"A..B"}, "who.html"},
		{attributionOptions{html: true}, []string{"A..B"}, []string{"A..B"}, ""},
		{attributionOptions{html: true}, []string{"page.HTML"}, []string{}, "page.HTML"},
		{attributionOptions{markdown: true}, []string{"A..B", "comment"}, []string{"A..B"}, "comment"},
		{attributionOptions{json: true, output: "x"}, []string{"A..B"}, []string{"A..B"}, "x"},
		{attributionOptions{}, []string{"a.html"}, []string{"a.html"}, ""},
	} {
		if rest := test.o.takeOutput(test.args); !slices.Equal(rest, test.rest) || test.o.output != test.file {
			t.Errorf("%v: %v and %q", test.args, rest, test.o.output)
		}
	}
}
