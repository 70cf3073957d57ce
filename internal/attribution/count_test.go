package attribution_test

import (
	"testing"

	"entire/internal/attribution"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, older, newer string
		added, removed     int
	}{
		{"equal", "a\nb\n", "a\nb\n", 0, 0},
		{"new", "", "a\nb\n", 2, 0},
		{"gone", "a\nb", "", 0, 2},
		{"a line changed", "a\nb\nc\n", "a\nx\nc\n", 1, 1},
		{"the last newline", "a\nb", "a\nb\n", 1, 1},
		{"moved", "a\nb\nc\nd\n", "d\na\nb\nc\n", 1, 1},
		{"binary", "a\x00\n", "b\n", 0, 0},
	} {
		if added, removed := attribution.Count([]byte(row.older), []byte(row.newer)); added != row.added || removed != row.removed {
			t.Errorf("%s: +%d -%d, want +%d -%d", row.name, added, removed, row.added, row.removed)
		}
	}
}
