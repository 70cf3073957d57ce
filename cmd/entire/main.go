package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"entire/cmd/internal/world"
	"entire/internal/cli/cliui"
	"entire/internal/cli/hookcmd"
	"entire/internal/cli/statuslinecmd"
	"entire/internal/single"
)

func main() { os.Exit(program()) }

func program() int { return run(context.Background(), os.Args[1:], world.Env(version, now)) }

// run runs the program. Hooks, version and statusline bypass the command tree, because agents, git
// and shells call them many times an hour and they mostly have nothing to do.
func run(ctx context.Context, args []string, env *cliui.Env) int {
	defer env.Flush()
	switch {
	case len(args) == 1 && args[0] == "version":
		return env.Exit(printVersion(env, false))
	case len(args) > 0 && args[0] == statuslinecmd.Name:
		return env.Exit(statusline(ctx, env, args[1:]))
	case hookcmd.Run(ctx, env, args):
		return 0
	}
	single.All()
	ctx, stop := env.Interruptible(ctx)
	defer stop()
	err := execute(ctx, env, args)
	if err != nil && ctx.Err() != nil && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("%w: %w", err, context.Canceled) // of a git that the same Ctrl-C ended
	}
	return env.Exit(err)
}

// statusline prints the status line. Its help, and what is wrong with its arguments, come from the command
// tree.
func statusline(ctx context.Context, env *cliui.Env, args []string) error {
	cmd := statuslinecmd.Command(env)
	if err := cmd.ParseFlags(args); err != nil || cmd.Flags().NArg() > 0 {
		return execute(ctx, env, append([]string{statuslinecmd.Name}, args...))
	}
	cmd.SetArgs(args)
	cmd.SetOut(env.Out)
	cmd.SetErr(env.Err)
	return cmd.ExecuteContext(ctx)
}
