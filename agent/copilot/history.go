package copilot

import (
	"strings"

	"entire/agent"
	"entire/agent/internal/base"
	"path/filepath"
)

var _ agent.Historian = Adapter{}

// Histories implements agent.Historian: each session has a folder with what happened, {session}/events.jsonl.
func (Adapter) Histories(home string, env func(string) string) []agent.HistoryPlace {
	dir := base.Home(home, env, "COPILOT_HOME", ".copilot")
	return []agent.HistoryPlace{{Root: filepath.Join(dir, "session-state"), Depth: 3, File: historyFile}}
}

func historyFile(rel string) agent.HistoryFile {
	session, inside, ok := strings.Cut(rel, "/")
	switch {
	case !ok:
		return agent.HistoryFile{}
	case inside == eventsName:
		return agent.HistoryFile{Kind: agent.HistoryTranscript, Session: session}
	}
	return agent.HistoryFile{Kind: agent.HistoryPart, Session: session}
}
