package setupcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
)

// errNoData is returned where the user has no data directory.
var errNoData = errors.New("there is no home directory to keep the settings in")

// globalOptions are the options of `enable --global`.
type globalOptions struct {
	global           bool
	paths, originsOf []string
}

// runEnableGlobal installs the hooks of the user's agents for all repositories, and records in the data
// directory that they are tracked, except the excluded ones.
func runEnableGlobal(ctx context.Context, env *cliui.Env, o enableOptions, g globalOptions) error {
	data, home := workplace.DataDir(env), env.Home()
	if data == "" || home == "" {
		return errNoData
	}
	chosen, err := globalAgents(ctx, env, o)
	if err != nil {
		return err
	}
	path := config.GlobalPath(data)
	settings, err := config.LoadGlobal(path)
	if err != nil {
		return cliui.ToCorrect("%w", err)
	}
	settings.Enabled = true
	for _, p := range g.paths {
		if p, err = env.Abs(p); err != nil {
			return err
		}
		settings.Exclude.Paths = appendNew(settings.Exclude.Paths, filepath.Clean(p))
	}
	for _, p := range g.originsOf {
		settings.Exclude.Origins = appendNew(settings.Exclude.Origins, config.OriginName(p))
	}
	var edits []workplace.AgentEdit
	for _, ag := range chosen {
		edit, err := workplace.PlanUserHooks(home, data, ag, agent.InstallOptions{Force: o.force, Tools: workplace.ToolHooks(o.settings(config.Settings{}))})
		if err != nil {
			return cliui.ToCorrect("%w", err)
		}
		edits = append(edits, edit)
	}
	if err := settings.Save(path); err != nil {
		return err
	}
	for i, edit := range edits {
		if err := edit.Apply(); err != nil {
			return err
		}
		fmt.Fprintf(env.Out, "✓ Hooks of %s for all your repositories: ~/%s\n", chosen[i].Type(), chosen[i].Profile().UserHookFiles[0].Path)
		if about := chosen[i].Profile(); about.Trust != "" && !about.TrustsFolder {
			fmt.Fprintf(env.Out, "  %s\n", about.Trust)
		}
	}
	fmt.Fprintf(env.Out, "✓ Settings: %s\n", cliui.ShownLine(path))
	for _, p := range slices.Concat(settings.Exclude.Paths, settings.Exclude.Origins) {
		fmt.Fprintf(env.Out, "  never recorded: %s\n", cliui.ShownLine(p))
	}
	_, err = fmt.Fprint(env.Out, "\nA repository is recorded from an agent's next event in it on; no file is added to it, and\n"+
		"git's hooks are installed then. Nothing is sent anywhere. `entire disable --global` ends it.\n")
	return err
}

// globalAgents returns the agents that the options name or, without a name, those that are on this
// machine; Claude Code if there are none.
func globalAgents(ctx context.Context, env *cliui.Env, o enableOptions) ([]agent.Agent, error) {
	var found []agent.Agent
	if o.agentGiven {
		list, err := namedAgents(ctx, env, workplace.Place{}, o.agents)
		if err != nil {
			return nil, err
		}
		for _, ag := range list {
			if len(ag.Profile().UserHookFiles) == 0 {
				return nil, cliui.Failf("enable it in the repository: entire enable --agent "+string(ag.Name()), "%s has no hooks for all repositories", ag.Type())
			}
		}
		return list, nil
	}
	for _, ag := range agents.All() {
		if len(ag.Profile().UserHookFiles) > 0 && slices.ContainsFunc(ag.Profile().HomeFolders, func(name string) bool {
			return workplace.FileExists(filepath.Join(env.Home(), filepath.FromSlash(name)))
		}) {
			found = append(found, ag)
		}
	}
	if len(found) == 0 {
		ag, _ := agents.Lookup(defaultAgent())
		found = append(found, ag)
	}
	return found, nil
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// runDisableGlobal removes the hooks for all repositories. Repositories with settings of their own stay
// recorded.
func runDisableGlobal(env *cliui.Env) error {
	data, home := workplace.DataDir(env), env.Home()
	if data == "" || home == "" {
		return errNoData
	}
	path := config.GlobalPath(data)
	settings, err := config.LoadGlobal(path)
	if err != nil {
		return cliui.ToCorrect("%w", err)
	}
	was := settings.Enabled
	if settings.Enabled = false; was {
		if err := settings.Save(path); err != nil {
			return err
		}
	}
	var problems []error
	removed := 0
	for _, ag := range agents.All() {
		edit, err := workplace.PlanUserHooksRemoval(home, data, ag)
		if err == nil && edit.Count > 0 {
			if err = edit.Apply(); err == nil {
				removed++
				fmt.Fprintf(env.Out, "✓ Removed the hooks of %s for all repositories\n", ag.Type())
			}
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("hooks of %s: %w", ag.Type(), err))
		}
	}
	switch {
	case !was && removed == 0:
		fmt.Fprintln(env.Out, "Entire was not enabled globally.")
	default:
		fmt.Fprintln(env.Out, "Entire records only repositories where `entire enable` was run. What it has recorded stays.")
	}
	return errors.Join(problems...)
}
