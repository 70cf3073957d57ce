package facts

import (
	"slices"
	"testing"

	"entire/internal/patch"
)

func TestWordsOf(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"entire sessions tag 1a2b bug":       {"entire", "sessions", "tag", "1a2b", "bug"},
		"  entire   status  ":                {"entire", "status"},
		`entire rename 'a title' "and "more`: {"entire", "rename", "a title", "and more"},
		`entire x 'it'\''s' ""`:              {"entire", "x", "it's", ""},
		`a\ b`:                               {"a b"},
		"":                                   nil,
	} {
		if got := wordsOf(line); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestOldLine(t *testing.T) {
	t.Parallel()
	files, err := patch.Parse([]byte(`diff --git a/a b/a
--- a/a
+++ b/a
@@ -2,4 +2,5 @@
 two
-three
+THREE
+new
 four
 five
@@ -20,2 +21,1 @@
-twenty
 twenty-one
`))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]int{1: 1, 2: 2, 3: 3, 5: 4, 6: 5, 10: 9, 21: 21, 30: 30} {
		if got := oldLine(files[0], line); got != want {
			t.Errorf("line %d was line %d, want %d", line, got, want)
		}
	}
}
