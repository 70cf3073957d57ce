package hookcmd

import (
	"path/filepath"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/durable"
)

// reportedByOwnHooks reports whether an event comes from an agent that runs the hooks of another one,
// although its own hooks are installed, too: they report the same event.
func reportedByOwnHooks(home, top string, called agent.Agent, ev agent.Event) bool {
	own, known := agents.ByType(ev.AgentType)
	if !known || own.Name() == called.Name() {
		return false
	}
	p := own.Profile()
	return installedAt(top, own, p.HookFiles) || installedAt(home, own, p.UserHookFiles)
}

func installedAt(top string, ag agent.Agent, files []agent.HookFile) bool {
	if top == "" || len(files) == 0 {
		return false
	}
	src, err := durable.Read(filepath.Join(top, filepath.FromSlash(files[0].Path)), agent.MaxSettings)
	return err == nil && ag.Installed(src)
}
