package git

import (
	"bytes"
	"context"
	"os/exec"
	"strings"

	"entire/internal/bounded"
	"entire/internal/git/store"
)

// finish runs a command of the network to its end, without a terminal. Its error holds no credentials.
func (m *Mirror) finish(ctx context.Context, cmd *exec.Cmd, args []string, stdin []byte) error {
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	cmd.WaitDelay = networkGrace
	cmd.SysProcAttr = bounded.OwnSession()
	cmd.Cancel = func() error { return bounded.EndGroup(cmd.Process) }
	_, stderr, err := bounded.Capture(cmd, networkGrace, nil)
	if cmd.Process != nil && ctx.Err() != nil {
		bounded.KillGroup(cmd.Process)
	}
	if err == nil {
		return nil
	}
	said := withoutCredentials(strings.ReplaceAll(string(stderr), m.URL, m.Repo.PlainURL(m.URL)))
	return store.WrapExit(ctx, err, args, said)
}
