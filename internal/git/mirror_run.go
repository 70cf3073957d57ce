package git

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"

	"entire/internal/git/process"
	"entire/internal/git/store"
)

// finish runs a command of the network to its end, without a terminal. Its error holds no credentials.
func (m *Mirror) finish(ctx context.Context, cmd *exec.Cmd, args []string, stdin []byte) error {
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	cmd.WaitDelay = networkGrace
	cmd.SysProcAttr = process.OwnSession()
	cmd.Cancel = func() error { return process.TerminateGroup(cmd.Process) }
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.Process != nil && ctx.Err() != nil {
		process.KillGroup(cmd.Process)
	}
	if err == nil || errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success() {
		return nil
	}
	said := withoutCredentials(strings.ReplaceAll(stderr.String(), m.URL, m.Repo.PlainURL(m.URL)))
	return store.WrapExit(ctx, err, args, said)
}
