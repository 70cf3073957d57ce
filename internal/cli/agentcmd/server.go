package agentcmd

import (
	"context"

	"entire/agent"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

// canAsk returns an error if the MCP server's program is not there, or cannot be named in the configuration
// of one of the agents.
func canAsk(ctx context.Context, env *cliui.Env, p workplace.Place, list []agent.Agent, names []string) error {
	if _, err := agentlib.MCPProgram(env); err != nil {
		return err
	}
	server := agentlib.MCPServer()
	if _, err := server.ToAsk(ctx, env, p, names); err != nil {
		return err
	}
	return server.Check(p.Top, list, true)
}

// removeServer removes the MCP server from the configurations of agents, and nothing else.
func removeServer(ctx context.Context, env *cliui.Env, names []string) error {
	p, err := workplace.PlaceHere(env)
	if err != nil {
		return err
	}
	list, err := agentlib.MCPServer().ToAsk(ctx, env, p, names)
	if err != nil {
		return err
	}
	return agentlib.MCPServer().Change(env, p.Top, list, false)
}
