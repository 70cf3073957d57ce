package agentlib

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/plugin"
)

// ErrUnknown is returned by Lookup for a name that neither an agent nor a plug-in has.
var ErrUnknown = errors.New("unknown agent")

// Plugins returns the names of the plug-ins that the person's own settings allow at p, without those
// of agents that have an adapter.
func Plugins(p workplace.Place) []string {
	if p.Settings == "" {
		return nil
	}
	settings, _ := config.Load(p.Settings) // what is readable counts
	var names []string
	for _, name := range settings.Plugins {
		_, known := agents.Lookup(agent.AgentName(name))
		if plugin.ValidName(name) && !known && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// PluginNamed returns the plug-in with that name for the place p. It says nothing of whether it is allowed.
func PluginNamed(env *cliui.Env, p workplace.Place, name string) *plugin.Plugin {
	return &plugin.Plugin{Name: name, Path: OnPath(env, plugin.Prefix+name), Dir: p.Top, Environ: env.Environ}
}

// Agents returns the agents of the table and those of the plug-ins that are allowed at p. broken has an
// error for each plug-in that does not say who its agent is.
func Agents(ctx context.Context, env *cliui.Env, p workplace.Place) (list []agent.Agent, broken []error) {
	list = agents.All()
	for _, name := range Plugins(p) {
		a, err := PluginNamed(env, p, name).Adapter(ctx)
		if err != nil {
			broken = append(broken, err)
			continue
		}
		list = append(list, a)
	}
	return list, broken
}

// Lookup returns the agent with that name, from the table or from an allowed plug-in.
func Lookup(ctx context.Context, env *cliui.Env, p workplace.Place, name string) (agent.Agent, error) {
	if ag, ok := agents.Lookup(agent.AgentName(name)); ok {
		return ag, nil
	}
	if slices.Contains(Plugins(p), name) {
		a, err := PluginNamed(env, p, name).Adapter(ctx)
		if err != nil {
			return nil, cliui.Failf("docs/agents.md has the protocol", "%w", err)
		}
		return a, nil
	}
	if plugin.ValidName(name) && PluginNamed(env, p, name).Path != "" {
		first := ""
		if !p.SetUp {
			first = "after `entire enable`, "
		}
		return nil, cliui.Failf(fmt.Sprintf("%s`entire agent add %s --allow-plugin` allows it, in %s", first, name, cliui.SettingsName(config.Local)),
			"%s is a plug-in (%s%s), which may not run here", name, plugin.Prefix, name)
	}
	names := append(workplace.AgentNames(), Plugins(p)...)
	return nil, cliui.Failf("one of "+strings.Join(names, ", "), "%w: %s", ErrUnknown, cliui.ShownLine(name))
}

// Installed returns the agents whose hooks are in their files below the top of p: those of the table, and then
// those of the plug-ins that are allowed there.
func Installed(ctx context.Context, env *cliui.Env, p workplace.Place) []agent.Agent {
	found := workplace.InstalledAgents(p.Top)
	list, _ := Agents(ctx, env, p) // `entire status` names a plug-in that does not work
	for _, ag := range list {
		if _, is := ag.(*plugin.Adapter); is && installed(p.Top, ag.Profile().HookFiles, ag) {
			found = append(found, ag)
		}
	}
	return found
}

// ResumeCommand returns the command with which the agent of a plug-in continues a session, "" if no allowed
// plug-in at p has an agent of that type.
func ResumeCommand(ctx context.Context, env *cliui.Env, p workplace.Place, of agent.AgentType, session id.SessionID) string {
	for _, name := range Plugins(p) {
		a, err := PluginNamed(env, p, name).Adapter(ctx)
		if err == nil && a.Type() == of {
			return a.ResumeCommand(session)
		}
	}
	return ""
}
