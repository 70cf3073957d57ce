package agentlib

import (
	"slices"
	"strings"

	"entire/agent/agents"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

// CompleteNames returns what a shell is offered: the names that begin with begun, of the agents and of the
// plug-ins that are allowed here, without those that are given already, each with a tab and a description. It
// runs no plug-in.
func CompleteNames(env *cliui.Env, given []string, begun string) []string {
	var found []string
	add := func(name, what string) {
		if strings.HasPrefix(name, begun) && !slices.Contains(given, name) {
			found = append(found, name+"\t"+what)
		}
	}
	for _, ag := range agents.All() {
		add(string(ag.Name()), ag.Profile().Description)
	}
	if dir, err := env.Getwd(); err == nil {
		p := workplace.FindPlace(dir)
		for _, name := range Plugins(p) {
			if PluginNamed(env, p, name).Path != "" {
				add(name, "plug-in")
			}
		}
	}
	return found
}

// CompleteList is CompleteNames for a list with commas, whose last name is incomplete.
func CompleteList(env *cliui.Env, list string) []string {
	last := strings.LastIndexByte(list, ',') + 1
	found := CompleteNames(env, strings.Split(list[:last], ","), list[last:])
	for i := range found {
		found[i] = list[:last] + found[i]
	}
	return found
}
