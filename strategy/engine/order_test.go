package engine_test

import (
	"strings"
	"testing"

	"entire/strategy/internal/enginetest"
)

// An agent's change that brings no line of its own is work all the same, also
// when a person has changed the file since.
func TestLinesThatOnlyChangedPlacesAreWork(t *testing.T) {
	t.Parallel()
	base := "alias One\nalias Two\nalias Three\n\nfoo:\n  bar\n  baz\nlast line\n"
	for name, change := range map[string][2]string{
		"order":       {"alias One\nalias Two", "alias Two\nalias One"},
		"indentation": {"  bar\n  baz", "    bar\n    baz"},
		"blank line":  {"alias Three\n\n", "alias Three\n\n\n"},
		"line ends":   {"  bar\n", "  bar\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t)
			w.Write("f.txt", base)
			w.Commit("base")
			agents := strings.Replace(base, change[0], change[1], 1)
			w.Turn("s1", "tidy up", func() { w.Write("f.txt", agents) })
			w.Write("f.txt", strings.Replace(agents, "last line\n", "a person's line\n", 1))
			w.Git("add", "f.txt")
			if id := w.CommitHooked("tidied"); id == "" {
				t.Error("not linked")
			}
			w.Write("g.txt", "a person's\n")
			w.Git("add", "g.txt")
			if id := w.CommitHooked("more"); id != "" {
				t.Errorf("linked again: %s", id)
			}
		})
	}
}
