package setupcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

// chooseAgents returns the agents to set up if none is named: those with hooks here already, otherwise those
// that are found here, and the default agent if there are none. A person at a terminal chooses.
func chooseAgents(ctx context.Context, env *cliui.Env, top string) ([]agent.Agent, error) {
	p := workplace.FindPlace(top)
	if installed := agentlib.Installed(ctx, env, p); len(installed) > 0 {
		return installed, nil
	}
	all, _ := agentlib.Agents(ctx, env, p)
	found := agentlib.Detected(env, p, all)
	t := env.Terminal()
	switch {
	case len(found) == 0:
		ag, _ := agents.Lookup(defaultAgent())
		return []agent.Agent{ag}, nil
	case !t.Interactive:
		return found, nil
	}
	options, preset := make([]string, len(all)), make([]bool, len(all))
	for i, ag := range all {
		preset[i] = slices.ContainsFunc(found, func(f agent.Agent) bool { return f.Name() == ag.Name() })
		options[i] = ag.Profile().Description
		if preset[i] {
			options[i] += " (found here)"
		}
	}
	chosen, err := t.Choose(ctx, "Whose work is to be saved here?", options, preset)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return nil, cliui.Failf("mark one with the space bar, or name it with --agent", "no agent was chosen")
	}
	list := make([]agent.Agent, len(chosen))
	for i, at := range chosen {
		list[i] = all[at]
	}
	return list, nil
}

// tellAgents names the agents that are about to be set up.
func tellAgents(env *cliui.Env, list []agent.Agent, given bool) {
	label, more := "Agent", ""
	if len(list) > 1 {
		label = "Agents"
	}
	if !given {
		more = " (use --agent to change)"
	}
	fmt.Fprintf(env.Out, "%s: %s%s\n\n", label, strings.Join(typesOf(list), ", "), more)
}

func typesOf(list []agent.Agent) []string {
	types := make([]string, len(list))
	for i, ag := range list {
		types[i] = string(ag.Type())
	}
	return types
}

// planHooks plans the changes of all agents' hook files before one is written.
func planHooks(top string, list []agent.Agent, opts agent.InstallOptions) ([]workplace.AgentEdit, error) {
	edits := make([]workplace.AgentEdit, len(list))
	for i, ag := range list {
		var err error
		if edits[i], err = workplace.PlanAgentHooks(top, ag, opts); err != nil {
			return nil, cliui.ToCorrect("%w", err)
		}
	}
	return edits, nil
}

func applyAll(edits []workplace.AgentEdit) error {
	for _, edit := range edits {
		if err := edit.Apply(); err != nil {
			return err
		}
	}
	return nil
}

// tellHooks says what was installed for the agents. linked says that git's hooks are installed, too.
func tellHooks(env *cliui.Env, list []agent.Agent, edits []workplace.AgentEdit, given, linked bool) {
	var quiet []string // agents that are named in one line
	for i, ag := range list {
		if given || ag.Profile().HookFile() == "" {
			agentlib.TellInstalled(env, ag, edits[i].Count)
		} else {
			quiet = append(quiet, string(ag.Type()))
		}
	}
	switch {
	case len(quiet) == 0:
	case linked:
		fmt.Fprintln(env.Out, "✓ Hooks installed")
	default:
		fmt.Fprintf(env.Out, "✓ Hooks of %s installed\n", cliui.Enumerated(quiet))
	}
	for _, ag := range list {
		agentlib.TellTrust(env, ag)
	}
}
