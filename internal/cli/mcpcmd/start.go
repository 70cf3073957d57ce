package mcpcmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/cli/agentlib"
	"entire/internal/cli/beside"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

// Register adds the command to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	var install, uninstall bool
	var names []string
	cmd := Command(env, func(ctx context.Context, o Options) error {
		switch {
		case install || uninstall:
			return change(ctx, env, names, install)
		case len(names) > 0:
			return cliui.Failf("as in `entire mcp --install --agent gemini`", "--agent is for --install and --uninstall")
		}
		return start(ctx, env, o)
	})
	cmd.Long += "\n\n" + `--install names the server in the configurations of the agents whose hooks are
installed here, or of those that --agent names; --uninstall removes it.`
	cmd.Example = "  entire mcp --install\n" + cmd.Example
	f := cmd.Flags()
	f.BoolVar(&install, "install", false, "name the server in the agents' configurations in this repository")
	f.BoolVar(&uninstall, "uninstall", false, "remove it from them")
	agentFlag(env, cmd, &names)
	cmd.MarkFlagsMutuallyExclusive("install", "uninstall", "http")
	parent.AddCommand(cmd, helpCommand(env))
}

// agentFlag adds the option that names agents.
func agentFlag(env *cliui.Env, cmd *cobra.Command, names *[]string) {
	cmd.Flags().StringSliceVar(names, "agent", nil, "for this `AGENT`, or several with commas, instead of those with hooks here")
	cmd.RegisterFlagCompletionFunc("agent", func(_ *cobra.Command, _ []string, list string) ([]string, cobra.ShellCompDirective) {
		return agentlib.CompleteList(env, list), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	})
}

// change adds the server for agents, or removes it.
func change(ctx context.Context, env *cliui.Env, names []string, add bool) error {
	if add {
		if _, err := agentlib.MCPProgram(env); err != nil {
			return err
		}
	}
	return changeAsking(ctx, env, agentlib.MCPServer(), names, add)
}

func changeAsking(ctx context.Context, env *cliui.Env, a agentlib.Asking, names []string, add bool) error {
	return env.AllOrNothing(func(env *cliui.Env) error {
		wp, err := workplace.Open(ctx, env)
		if err != nil {
			return err
		}
		defer wp.Close()
		list, err := a.ToAsk(ctx, env, wp.Place, names)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return cliui.Failf("name one with --agent, or set one up with `entire agent add NAME`", "no agent with hooks here has a file in the project for the %s", a.What)
		}
		return a.Change(env, wp.Repo.Top, list, add)
	})
}

// start becomes the server or, where the system cannot do that, runs it and waits.
func start(ctx context.Context, env *cliui.Env, o Options) error {
	path, err := agentlib.MCPProgram(env)
	if err != nil {
		return err
	}
	return beside.Start(ctx, env, path, arguments(o))
}

// arguments returns the options as the server's program takes them.
func arguments(o Options) []string {
	args := []string{}
	if o.HTTP {
		args = append(args, "--http", fmt.Sprintf("--port=%d", o.Port))
	}
	if o.NewToken {
		args = append(args, "--new-token")
	}
	return args
}
