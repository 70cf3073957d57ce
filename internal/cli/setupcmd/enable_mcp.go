package setupcmd

import (
	"context"
	"fmt"
	"strings"

	"entire/agent"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
)

// offerMCP names the MCP server in the configurations of those agents that have one, if the option asks for
// it or a person agrees. Another server of our name stays.
func offerMCP(ctx context.Context, env *cliui.Env, top string, list []agent.Agent, wanted bool) error {
	t := env.Terminal()
	if !wanted && !t.Interactive {
		return nil
	}
	if _, err := agentlib.MCPProgram(env); err != nil {
		if wanted {
			return err
		}
		return nil
	}
	server := agentlib.MCPServer()
	var missing []agent.Agent
	var names []string
	for _, ag := range list {
		if server.FileOf(ag) == "" {
			continue
		}
		edit, err := server.Plan(top, ag, true)
		switch {
		case err != nil && wanted:
			fmt.Fprintf(env.Err, "warning: %s of %s: %s\n", server.What, ag.Type(), cliui.OneLine(err.Error()))
		case err == nil && (edit.Count > 0 || wanted):
			missing, names = append(missing, ag), append(names, string(ag.Type()))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if !wanted {
		yes, err := t.Confirm(ctx, fmt.Sprintf("Let %s ask about past sessions of this project?", strings.Join(names, ", ")),
			"An MCP server, named in their configurations here. `entire mcp --uninstall` removes it.")
		if err != nil || !yes {
			return nil // the repository is set up; this was an offer
		}
	}
	return server.Change(env, top, missing, true)
}
