package summarize

import (
	"fmt"
	"os/exec"
)

// Detach starts a program that outlives this process: in a session of its own,
// with no stream or file of this process's open, in the folder dir, without the
// variables of the git that called us. It does not wait for it.
func Detach(program string, args []string, dir string, environ []string) error {
	keepOpenFiles()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, detachedEnviron(environ), ownSession()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	return cmd.Process.Release()
}
