package hooks_test

import (
	"testing"

	"entire/hooks"
	"entire/internal/testrepo"
)

// What every event of an agent pays to see that nobody has replaced the hooks.
func BenchmarkStamp(b *testing.B) {
	r := testrepo.New(b)
	for b.Loop() {
		hooks.Stamp(r.GitPath("hooks"), r.GitPath("config"), r.GitPath("config.worktree"), "/etc/gitconfig", r.Home+"/.gitconfig", r.Home+"/.config/git/config")
	}
}
