package store

import (
	"reflect"
	"strings"
	"testing"

	"entire/internal/git/object"
)

func TestParseReflog(t *testing.T) {
	a, b := object.MustOID(strings.Repeat("ab", 20)), object.MustOID(strings.Repeat("cd", 20))
	zero := strings.Repeat("0", 40)
	for _, tc := range []struct {
		name, text string
		want       []ReflogEntry
	}{
		{"none", "", nil},
		{"the first commit", zero + " " + a.String() + " A <a@b> 1 +0000\tcommit (initial): one\n", []ReflogEntry{{New: a, What: "commit (initial): one"}}},
		{"a cut first line and one without a newline", "def A <a@b> 1 +0000\treset: moving\n" + a.String() + " " + b.String() + " A <a@b> 1 +0000\tcommit (amend): x\ty",
			[]ReflogEntry{{What: "reset: moving"}, {a, b, "commit (amend): x\ty"}}},
		{"no text", a.String() + " " + b.String() + "\n", []ReflogEntry{{Old: a, New: b}}},
		{"an empty subject", a.String() + " " + b.String() + " A <a@b> 1 +0000\tam: \r\n", []ReflogEntry{{a, b, "am: "}}},
	} {
		if got := ParseReflog([]byte(tc.text)); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
