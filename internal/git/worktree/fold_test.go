package worktree

import (
	"testing"
)

func TestFoldConflicts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		paths []string
		want  [][2]string
	}{
		{"none", []string{"a", "b", "a.b", "a-/c"}, nil},
		{"same path twice", []string{"a", "a"}, nil},
		{"case", []string{"README", "x", "readme"}, [][2]string{{"README", "readme"}}},
		{"three", []string{"a", "A", "b", "B", "á", "Á"}, [][2]string{{"a", "A"}, {"b", "B"}, {"á", "Á"}}},
		{"folders of two cases are one folder", []string{"Dir/a", "dir/b"}, nil},
		{"file in folders of two cases", []string{"Dir/a", "dir/A"}, [][2]string{{"Dir/a", "dir/A"}}},
		{"file above", []string{"Dir", "dir/a/b"}, [][2]string{{"Dir", "dir/a/b"}}},
		{"file that becomes a folder", []string{"sub", "sub/a", "b/c", "b"}, nil},
		{"normal forms", []string{"\u00e9", "e\u0301"}, [][2]string{{"\u00e9", "e\u0301"}}},
		{"full folding", []string{"stra\u00dfe", "STRASSE"}, [][2]string{{"stra\u00dfe", "STRASSE"}}},
		{"other bytes are not alike", []string{"\xff", "\xfe", "A\xff", "a\xff"}, [][2]string{{"A\xff", "a\xff"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := FoldConflicts(row.paths)
			if len(got) != len(row.want) {
				t.Fatalf("got %q, want %q", got, row.want)
			}
			for i := range got {
				if got[i] != row.want[i] {
					t.Errorf("got %q, want %q", got, row.want)
				}
			}
		})
	}
}
