package metadata

import (
	"testing"
)

// What else lies in the folder of links is no link.
func TestLinksPassOverWhatTheyAreNot(t *testing.T) {
	t.Parallel()
	const commit = "1234567890123456789012345678901234567890"
	l := Links{}
	for _, name := range []string{"", ".", "a", "aa.b", commit, commit + ".", commit + ".A3B2C4D5E6F7", "x" + commit + ".a3b2c4d5e6f7"} {
		l.add(name)
	}
	if len(l) > 0 {
		t.Errorf("links: %v", l)
	}
}
