//go:build !unix

package beside

import (
	"context"
	"os/exec"

	"entire/internal/cli/cliui"
)

// become runs the program with this process's input and output, and waits for its end.
func become(ctx context.Context, path string, args []string, env *cliui.Env) error {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Environ, env.In, env.Raw(), env.Err
	return cmd.Run()
}
