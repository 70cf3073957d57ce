package acpcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/spf13/cobra"

	"entire/internal/acp"
	"entire/internal/cli/cliui"
)

// Register adds the command to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(&cobra.Command{
		Use:   "acp -- COMMAND [ARGUMENT...]",
		Short: "Record an agent that an editor runs by the Agent Client Protocol",
		Long: `Start an agent that speaks the Agent Client Protocol (ACP) and record what it does:
prompts, calls, written files, and a step at the end of each turn.

Let the editor run this command instead of the agent. Every byte passes
unchanged in both directions. Only sessions in repositories where Entire is
enabled are recorded.`,
		Example: `  entire acp -- gemini --experimental-acp
  entire acp -- npx @zed-industries/claude-code-acp

  In Zed's settings:
    "agent_servers": {"Gemini": {"command": "entire",
      "args": ["acp", "--", "gemini", "--experimental-acp"]}}`,
		Args: cliui.OneOrMore,
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), env, args) },
	})
}

// run starts the agent and passes the messages on until the agent ends. Its error has the agent's
// exit code.
func run(ctx context.Context, env *cliui.Env, args []string) error {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return cliui.Failf("give the command that starts the agent: entire acp -- COMMAND", "%w", err)
	}
	own, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, args[1:]...)
	cmd.Env, cmd.Stderr = env.Environ, env.Err
	toAgent, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	fromAgent, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	rec := &recorder{ctx: context.WithoutCancel(ctx), env: env, program: own, command: filepath.Base(args[0]), sessions: map[string]place{}}
	listener := acp.NewListener(rec, env.Now)
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := passSignals(cmd.Process)
	defer stop()
	go func() {
		_ = acp.Pipe(toAgent, env.In, listener.FromEditor)
		toAgent.Close()
	}()
	passErr := acp.Pipe(env.Out, fromAgent, listener.FromAgent)
	if passErr != nil { // the editor has gone
		toAgent.Close()
		_, _ = io.Copy(io.Discard, fromAgent)
	}
	err = cmd.Wait()
	rec.end()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return cliui.ExitWith(exit.ExitCode(), fmt.Errorf("%s ended with status %d", args[0], exit.ExitCode()))
	case err != nil:
		return err
	}
	return nil
}

// passSignals lets the agent decide about interrupts, until stop is called.
func passSignals(p *os.Process) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt)
	go func() {
		for s := range signals {
			_ = p.Signal(s)
		}
	}()
	return func() { signal.Stop(signals); close(signals) }
}
