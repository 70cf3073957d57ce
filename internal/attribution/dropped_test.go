package attribution_test

import (
	"slices"
	"testing"

	"entire/internal/attribution"
)

// TestUnite: each line of both is there once.
func TestUnite(t *testing.T) {
	t.Parallel()
	p := func(n ...attribution.Print) attribution.Prints { return n }
	for _, tc := range []struct{ a, b, want attribution.Prints }{
		{nil, nil, nil}, {p(1), nil, p(1)}, {nil, p(1), p(1)}, {p(1, 2), p(2, 3), p(1, 2, 3)}, {p(1, 1), nil, p(1)}, {p(2, 1, 2), p(3, 3), p(2, 1, 3)},
	} {
		if got := attribution.Union(tc.a, tc.b); !slices.Equal(got, tc.want) {
			t.Errorf("%v and %v: %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}
