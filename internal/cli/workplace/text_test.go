package workplace

import (
	"testing"
)

func TestCommonPrompts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		prompts, older []string
		want           int
	}{
		{[]string{"a", "b", "c"}, []string{"a", "b"}, 2},
		{[]string{"a"}, nil, 0},
		{[]string{"a"}, []string{"a", "b"}, 0},
		{[]string{"c"}, []string{"a"}, 0},
	} {
		if got := common(test.prompts, test.older); got != test.want {
			t.Errorf("common(%q, %q) = %d, want %d", test.prompts, test.older, got, test.want)
		}
	}
}
