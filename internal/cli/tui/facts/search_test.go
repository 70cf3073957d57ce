package facts

import "testing"

func TestWordsSaid(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"entire: not a time: zz\nhint: as in 30d\n": "not a time: zz (as in 30d)",
		"entire: no session\n":                      "no session",
		"":                                          "",
	} {
		if got := wordsSaid(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
