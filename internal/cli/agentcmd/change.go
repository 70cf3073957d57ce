package agentcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/plugin"
)

func addCommand(env *cliui.Env) *cobra.Command {
	var o addOptions
	cmd := &cobra.Command{
		Use:   "add NAME...",
		Short: "Install an agent's hooks here",
		Long: `Install the hooks of one or more agents here. Hooks that are there already stay,
and so does every byte of their files that is not Entire's.

A program on PATH named entire-agent-NAME is a plug-in for the agent NAME. It runs
only where you allow it, for yourself, with --allow-plugin.

With --mcp these agents can also ask about past sessions: the MCP server is named in
their own configurations here, as ` + "`entire enable --mcp`" + ` does for all.`,
		Example: `  entire agent add codex gemini
  entire agent add cursor --mcp`,
		Args:              cliui.OneOrMore,
		ValidArgsFunction: completeNames(env, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return env.AllOrNothing(func(env *cliui.Env) error { return add(cmd.Context(), env, args, o) })
		},
	}
	cmd.Flags().BoolVar(&o.allow, "allow-plugin", false, "let the plug-ins of these agents run here (written to settings.local.json)")
	cmd.Flags().BoolVarP(&o.force, "force", "f", false, "write Entire's own hooks again")
	cmd.Flags().BoolVar(&o.mcp, "mcp", false, "let them ask about past sessions: name the MCP server in their configurations here")
	return cmd
}

// addOptions are the options of add.
type addOptions struct{ force, allow, mcp bool }

func removeCommand(env *cliui.Env) *cobra.Command {
	var mcp bool
	cmd := &cobra.Command{
		Use:   "remove NAME...",
		Short: "Remove an agent's hooks from here",
		Long: `Remove the hooks of one or more agents from here. What is not Entire's keeps every
byte, and a file that Entire made is removed. What was captured stays. The MCP server
and the skill are removed with them; with --mcp the MCP server is, and nothing else.`,
		Example: `  entire agent remove gemini
  entire agent remove gemini --mcp   # it is recorded as before, and cannot ask`,
		Args:              cliui.OneOrMore,
		ValidArgsFunction: completeNames(env, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if mcp {
				return env.AllOrNothing(func(env *cliui.Env) error { return removeServer(cmd.Context(), env, args) })
			}
			return remove(cmd.Context(), env, args)
		},
	}
	cmd.Flags().BoolVar(&mcp, "mcp", false, "remove the MCP server from their configurations, and leave the hooks")
	return cmd
}

// add plans all edits before it writes one, so that a file that cannot be edited changes nothing.
func add(ctx context.Context, env *cliui.Env, args []string, o addOptions) error {
	p, err := workplace.PlaceHere(env)
	if err == nil && !o.allow {
		_, err = named(ctx, env, p, args) // an unknown agent is the first thing to say
	}
	if err != nil {
		return err
	}
	p, settings, err := setUpHere(env, "entire enable --agent "+strings.Join(args, ","))
	if err == nil && o.allow {
		err = allowPlugins(env, p, args)
	}
	if err != nil {
		return err
	}
	list, err := named(ctx, env, p, args)
	if err != nil {
		return err
	}
	edits := make([]workplace.AgentEdit, len(list))
	for i, ag := range list {
		opts := agent.InstallOptions{Force: o.force, LocalDev: settings.LocalDev, Tools: workplace.ToolHooks(settings)}
		if edits[i], err = workplace.PlanAgentHooks(p.Top, ag, opts); err != nil {
			return cliui.ToCorrect("hooks of %s: %w", ag.Type(), err)
		}
	}
	if o.mcp {
		if err := canAsk(ctx, env, p, list, args); err != nil {
			return err
		}
	}
	for i, ag := range list {
		if err := edits[i].Apply(); err != nil {
			return fmt.Errorf("hooks of %s: %w", ag.Type(), err)
		}
		agentlib.TellInstalled(env, ag, edits[i].Count)
		tellFiles(env, edits[i])
		agentlib.TellTrust(env, ag)
	}
	if o.mcp { // after the hooks, with which it may share a file
		if err := agentlib.MCPServer().Change(env, p.Top, list, true); err != nil {
			return err
		}
	}
	if p.Off() {
		fmt.Fprintln(env.Out, "Entire is disabled here: `entire enable` starts it.")
	}
	return nil
}

// allowPlugins allows the plug-ins among the named agents, each of which must be on PATH.
func allowPlugins(env *cliui.Env, p workplace.Place, args []string) error {
	for _, name := range args {
		if _, known := agents.Lookup(agent.AgentName(name)); known || slices.Contains(agentlib.Plugins(p), name) {
			continue
		}
		if !plugin.ValidName(name) || agentlib.PluginNamed(env, p, name).Path == "" {
			return cliui.Failf("install it in a folder of PATH", "no plug-in is named %s%s", plugin.Prefix, cliui.ShownLine(name))
		}
		if err := config.AllowPlugin(p.Settings, name); err != nil {
			return err
		}
		fmt.Fprintf(env.Out, "Allowed %s%s here (%s)\n", plugin.Prefix, name, cliui.SettingsName(config.Local))
	}
	return nil
}

func remove(ctx context.Context, env *cliui.Env, args []string) error {
	p, err := workplace.PlaceHere(env)
	if err != nil {
		return err
	}
	list, err := named(ctx, env, p, args)
	if err != nil {
		return err
	}
	for _, ag := range list {
		if ag.Profile().HookFile() == "" {
			return cliui.Failf("take the calls of `entire hooks "+string(ag.Name())+"` out of it", "%s calls the hooks itself: none are installed", ag.Name())
		}
	}
	for _, ag := range list {
		edit, err := workplace.PlanAgentRemoval(p.Top, ag)
		if err != nil {
			return cliui.ToCorrect("hooks of %s: %w", ag.Type(), err)
		}
		if err := removeAsking(env, p, ag); err != nil {
			return err
		}
		if edit, err = workplace.PlanAgentRemoval(p.Top, ag); err != nil { // it may share its file with the server
			return err
		}
		if edit.Count == 0 {
			fmt.Fprintf(env.Out, "No hooks of %s are installed here.\n", ag.Type())
			continue
		}
		if err := edit.Apply(); err != nil {
			return fmt.Errorf("hooks of %s: %w", ag.Type(), err)
		}
		fmt.Fprintf(env.Out, "Removed %s of %s\n", cliui.Count(edit.Count, "hook"), ag.Type())
		tellFiles(env, edit)
	}
	return nil
}

// removeAsking removes what lets an agent ask this program.
func removeAsking(env *cliui.Env, p workplace.Place, ag agent.Agent) error {
	removed, err := agentlib.Without(p.Top, ag)
	for _, what := range removed {
		fmt.Fprintf(env.Out, "Removed the %s of %s\n", what, ag.Type())
	}
	if err != nil {
		return cliui.ToCorrect("%w", err)
	}
	return nil
}

// tellFiles names the files that an edit wrote or removed.
func tellFiles(env *cliui.Env, edit workplace.AgentEdit) {
	written, removed := edit.Changed()
	for _, name := range written {
		fmt.Fprintf(env.Out, "  wrote %s\n", cliui.ShownName(name))
	}
	for _, name := range removed {
		fmt.Fprintf(env.Out, "  removed %s\n", cliui.ShownName(name))
	}
}
