package agentcmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

func addCommand(env *cliui.Env) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "add NAME...",
		Short: "Install an agent's hooks here",
		Long: `Install the hooks of one or more agents here. Hooks that are there already stay,
and so does every byte of their files that is not Entire's.`,
		Example:           "  entire agent add codex gemini",
		Args:              cliui.OneOrMore,
		ValidArgsFunction: completeNames(0),
		RunE: func(_ *cobra.Command, args []string) error {
			return env.AllOrNothing(func(env *cliui.Env) error { return add(env, args, force) })
		},
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "write Entire's own hooks again")
	return cmd
}

func removeCommand(env *cliui.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME...",
		Short: "Remove an agent's hooks from here",
		Long: `Remove the hooks of one or more agents from here. What is not Entire's keeps every
byte, and a file that Entire made is removed. What was captured stays.`,
		Example:           "  entire agent remove gemini",
		Args:              cliui.OneOrMore,
		ValidArgsFunction: completeNames(0),
		RunE:              func(_ *cobra.Command, args []string) error { return remove(env, args) },
	}
}

// add plans all edits before it writes one, so that a file that cannot be edited changes nothing.
func add(env *cliui.Env, args []string, force bool) error {
	list, err := named(args)
	if err != nil {
		return err
	}
	p, settings, err := setUpHere(env, "entire enable --agent "+strings.Join(args, ","))
	if err != nil {
		return err
	}
	edits := make([]workplace.AgentEdit, len(list))
	for i, ag := range list {
		opts := agent.InstallOptions{Force: force, LocalDev: settings.LocalDev, Tools: workplace.ToolHooks(settings.Checkpoints())}
		if edits[i], err = workplace.PlanAgentHooks(p.Top, ag, opts); err != nil {
			return cliui.Failf("correct the file or move it away", "hooks of %s: %w", ag.Type(), err)
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
	if p.Off() {
		fmt.Fprintln(env.Out, "Entire is disabled here: `entire enable` starts it.")
	}
	return nil
}

func remove(env *cliui.Env, args []string) error {
	list, err := named(args)
	if err != nil {
		return err
	}
	p, err := placeHere(env)
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
			return cliui.Failf("correct the file or move it away", "hooks of %s: %w", ag.Type(), err)
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
