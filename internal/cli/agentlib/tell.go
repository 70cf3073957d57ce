package agentlib

import (
	"fmt"

	"entire/agent"
	"entire/internal/cli/cliui"
)

// TellInstalled says that an agent's hooks are installed, count of them just now.
func TellInstalled(env *cliui.Env, ag agent.Agent, count int) {
	about := ag.Profile()
	preview := ""
	if about.Preview != "" {
		preview = " (" + about.Preview + ")"
	}
	switch {
	case about.HookFile() == "":
		fmt.Fprint(env.Out, howToCall)
	case count > 0:
		fmt.Fprintf(env.Out, "Installed %s for %s%s\n", cliui.Count(count, "hook"), about.Description, preview)
	default:
		fmt.Fprintf(env.Out, "Hooks for %s already installed%s\n", about.Description, preview)
	}
}

// TellTrust says what a person must do before the agent runs its hooks; nothing for most agents.
func TellTrust(env *cliui.Env, ag agent.Agent) {
	if trust := ag.Profile().Trust; trust != "" {
		fmt.Fprintf(env.Out, "Note: %s\n", trust)
	}
}
