package lineage_test

import "testing"

// TestBroughtBack: a checkpoint gives lines to one, and an earlier one had given them to
// another, who wrote them.
func TestBroughtBack(t *testing.T) {
	t.Parallel()
	const f = "f.txt"
	for _, tc := range []struct {
		name, first, as, want string
	}{
		{"an agent's, recorded as a person's", "a1 h", "h", "a1 h"},
		{"an agent's, recorded as another's", "a1 a2", "a2", "a1 a2"},
		{"a person's, recorded as an agent's", "h h", "a1", "h h"},
		{"the same agent's", "a1 a1", "a1", "a1 a1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.Write(f, l.text("old"))
			l.plain("before the tool")
			l.enable()
			was := l.text(tc.first)
			l.Write(f, was)
			l.linked("first")
			l.Write(f, "")
			l.plain("taken out")
			l.as = tc.as
			l.Write(f, was)
			l.linked("brought back")
			if got := l.blame(f); got != tc.want {
				t.Errorf("blame %s\nwant  %s", got, tc.want)
			}
		})
	}
}
