//go:build !unix

package worktree

import (
	"io/fs"

	"entire/strategy/sessionstate"
)

// UmaskOf reports an unknown umask, because git does not set permissions on this system.
func UmaskOf(*sessionstate.Env) (fs.FileMode, bool) { return 0, false }
