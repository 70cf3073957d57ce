//go:build unix

package beside

import (
	"context"
	"syscall"

	"entire/internal/cli/cliui"
)

// become replaces this process by the program; it returns only if that fails.
func become(_ context.Context, path string, args []string, env *cliui.Env) error {
	return syscall.Exec(path, append([]string{path}, args...), env.Environ)
}
