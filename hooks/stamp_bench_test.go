package hooks_test

import (
	"testing"

	"entire/hooks"
	"entire/internal/testrepo"
)

// What every event of an agent pays to see that nobody has replaced the hooks.
func BenchmarkStamp(b *testing.B) {
	r := testrepo.New(b)
	dir, files := r.Path(".git/hooks"), []string{r.Path(".git/config"), r.Path(".git/config.worktree"), "/etc/gitconfig", r.Home + "/.gitconfig", r.Home + "/.config/git/config"}
	for b.Loop() {
		hooks.Stamp(dir, files...)
	}
}
