package agentlib

import (
	"entire/agent"
	"entire/agent/agents"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

// StatusLineCommand is what an agent runs for its status line.
const StatusLineCommand = "entire statusline --stdin"

// StatusLineShowers returns the agents that can show a status line and that this person uses: their
// folder is in the home directory.
func StatusLineShowers(env *cliui.Env) []agent.Agent {
	var out []agent.Agent
	for _, ag := range agents.All() {
		if _, ok := ag.(agent.StatusLineShower); ok && env.Home() != "" && len(existing(env.Home(), ag.Profile().HomeFolders)) > 0 {
			out = append(out, ag)
		}
	}
	return out
}

// PlanStatusLine plans to add our status line to an agent's settings in the home directory, or to remove
// it. The error is agent.ErrForeignStatusLine if another one is there.
func PlanStatusLine(env *cliui.Env, ag agent.Agent, add bool) (workplace.AgentEdit, error) {
	shower := ag.(agent.StatusLineShower)
	return workplace.PlanStatusLine(env.Home(), workplace.DataDir(env), shower, func(src []byte) ([]byte, int, error) {
		if add {
			return shower.AddStatusLine(src, StatusLineCommand)
		}
		return shower.DropStatusLine(src, StatusLineCommand)
	})
}
