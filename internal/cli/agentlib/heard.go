package agentlib

import (
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
)

// NoteHeard notes that an event of an agent came at the time now. An error is ignored: the next
// event notes its own time.
func NoteHeard(p workplace.Place, ev agent.Event, now time.Time) {
	name := ev.Agent
	if caller, ok := agents.ByType(ev.AgentType); ok {
		name = caller.Name() // it may run the hooks of another agent
	}
	path := heardPath(p, name)
	if path == "" || os.Chtimes(path, now, now) == nil {
		return
	}
	if durable.WriteCache(path, nil, 0o600) == nil {
		_ = os.Chtimes(path, now, now)
	}
}

// HasHeard reports whether an agent has ever called here.
func HasHeard(p workplace.Place, name agent.AgentName) bool { return !heardAt(p, name).IsZero() }

// heardAt returns the time of an agent's last event, zero for none.
func heardAt(p workplace.Place, name agent.AgentName) time.Time {
	path := heardPath(p, name)
	if path == "" {
		return time.Time{}
	}
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// heardPath returns the file whose time is that of the agent's last event, "" where there is no
// place for it. All worktrees of a repository share it.
func heardPath(p workplace.Place, name agent.AgentName) string {
	if p.Folder {
		return filepath.Join(p.Top, ".entire", "tmp", "heard-"+string(name))
	}
	common := p.Common()
	if common == "" || name == "" {
		return ""
	}
	return filepath.Join(common, "entire", "heard", string(name))
}
