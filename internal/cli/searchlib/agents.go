package searchlib

import (
	"context"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/search"
)

// storedAgents returns the names of agents that a filter wants as the sessions of an index have them: the command
// line may call an agent otherwise than they do, and its name for any other agent is every one without an adapter. unknown are the
// wanted names that neither an adapter nor an agent in the index has.
func storedAgents(ctx context.Context, x *search.Index, wanted []string) (stored, unknown []string, err error) {
	present, err := agentsIn(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range wanted {
		stored = append(stored, name)
		has := func(t string) bool { return search.IsAgent(t, name) }
		ag, ok := agents.Lookup(agent.AgentName(strings.ToLower(name)))
		switch {
		case ok && ag.Type() == agent.AgentTypeUnknown:
			stored = append(append(stored, string(ag.Type())), slices.DeleteFunc(slices.Clone(present), func(t string) bool {
				return t == "" || agents.HasOwnFormat(agent.AgentType(t))
			})...)
		case ok:
			stored = append(stored, string(ag.Type()))
		case !slices.ContainsFunc(present, has) && !slices.ContainsFunc(agents.All(), func(ag agent.Agent) bool { return has(string(ag.Type())) }):
			unknown = append(unknown, name)
		}
	}
	return stored, unknown, nil
}

// agentsIn returns the agents of an index, each once.
func agentsIn(ctx context.Context, x *search.Index) (names []string, err error) {
	for _, kind := range []int{search.Conversation, search.Checkpoint} {
		entries, err := x.Entries(ctx, kind)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !slices.Contains(names, e.Card.Agent) {
				names = append(names, e.Card.Agent)
			}
		}
	}
	return names, nil
}

// checkAgents returns an error for a wanted name that is unknown in all projects that were searched. absent has the
// number of projects for each name.
func checkAgents(l *sessionlib.Library, wanted []string, absent map[string]int, projects int) error {
	names := workplace.AgentNames()
	if l.Wp != nil {
		names = append(names, l.Wp.Settings.Plugins...)
	}
	for _, name := range wanted {
		if absent[name] == projects && !slices.Contains(names, name) {
			return cliui.Failf("one of "+strings.Join(names, ", "), "unknown agent: %s", cliui.ShownLine(name))
		}
	}
	return nil
}
