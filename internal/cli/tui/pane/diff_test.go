package pane

import (
	"testing"

	"entire/internal/patch"
)

func TestDigits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hunk patch.Hunk
		want int
	}{
		{patch.Hunk{OldFrom: 1, OldLines: 9, NewFrom: 1, NewLines: 8}, 1},
		{patch.Hunk{OldFrom: 1, OldLines: 9, NewFrom: 1, NewLines: 10}, 2},
		{patch.Hunk{OldFrom: 90, OldLines: 10, NewFrom: 90, NewLines: 0}, 2},
		{patch.Hunk{NewFrom: 1, NewLines: 100}, 3},
		{patch.Hunk{}, 1},
	} {
		if got := Digits(c.hunk); got != c.want {
			t.Errorf("%+v: %d digits, want %d", c.hunk, got, c.want)
		}
	}
}
