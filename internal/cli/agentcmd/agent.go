package agentcmd

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/session"
)

// Register adds the commands about agents to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "List the agents, and add, remove or check their hooks",
		Long: `List the agents that Entire knows, and add, remove or check their hooks.

Without a command it lists them, as ` + "`entire agent list`" + ` does.`,
		Example: `  entire agent list
  entire agent add codex
  entire agent check claude-code`,
		Args: cliui.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), env, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.AddCommand(listCommand(env), addCommand(env), removeCommand(env), checkCommand(env))
	parent.AddCommand(cmd)
}

// named returns the agents that args name, each once.
func named(ctx context.Context, env *cliui.Env, p workplace.Place, args []string) ([]agent.Agent, error) {
	var out []agent.Agent
	for _, name := range args {
		ag, err := agentlib.Lookup(ctx, env, p, name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(have agent.Agent) bool { return have.Name() == ag.Name() }) {
			out = append(out, ag)
		}
	}
	return out, nil
}

// completeNames offers the names of agents to a shell, at most limit of them; 0 for any number.
func completeNames(env *cliui.Env, limit int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if limit > 0 && len(args) >= limit {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return agentlib.CompleteNames(env, args, begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// setUpHere is workplace.PlaceHere for commands that need `entire enable`.
func setUpHere(env *cliui.Env, hint string) (workplace.Place, config.Settings, error) {
	p, err := workplace.PlaceHere(env)
	if err == nil && !p.SetUp {
		err = cliui.Failf(hint, "Entire is not set up here")
	}
	if err != nil {
		return p, config.Settings{}, err
	}
	settings, err := workplace.LoadSettings(p)
	return p, settings, err
}

// question returns what is needed to tell how the agents stand at p.
func question(ctx context.Context, env *cliui.Env, p workplace.Place) agentlib.Question {
	q := agentlib.Question{Env: env, Place: p}
	if common := p.Common(); common != "" && p.SetUp {
		q.States, _, _ = session.NewStateStore(common).List(ctx) // without states there is only less to tell
		q.Kept = agentlib.KeptUntil(ctx, env, p.Top)
	}
	return q
}
