package main

import (
	"context"
	"os"

	"entire/internal/cli/cliui"
	"entire/internal/cli/hookcmd"
	"entire/internal/single"
)

func main() { os.Exit(program()) }

func program() int { return run(context.Background(), os.Args[1:], theWorld()) }

// run runs the program. Hooks and version bypass the command tree, because agents and git call
// them many times an hour and they mostly have nothing to do.
func run(ctx context.Context, args []string, env *cliui.Env) int {
	defer env.Flush()
	switch {
	case len(args) == 1 && args[0] == "version":
		return env.Exit(printVersion(env, false))
	case hookcmd.Run(ctx, env, args):
		return 0
	}
	single.All()
	ctx, stop := env.Interruptible(ctx)
	defer stop()
	return env.Exit(execute(ctx, env, args))
}
