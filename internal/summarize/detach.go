package summarize

import (
	"fmt"
	"os/exec"

	"entire/internal/bounded"
)

// Detach starts a program that outlives this process, and does not wait for it. It runs in its own
// session, in the folder dir, without this process's streams and files and without git's variables for
// one call.
func Detach(program string, args []string, dir string, environ []string) error {
	keepOpenFiles()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, detachedEnviron(environ), bounded.OwnSession()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	return cmd.Process.Release()
}
