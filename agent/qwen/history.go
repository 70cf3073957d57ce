package qwen

import (
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/agent/internal/base"
)

var _ agent.Historian = Adapter{}

// Histories implements agent.Historian: {project}/chats/{session}.jsonl, with {project}/subagents/{session} beside
// the chats.
func (Adapter) Histories(home string, env func(string) string) []agent.HistoryPlace {
	dir := base.Home(home, env, "QWEN_HOME", ".qwen")
	return []agent.HistoryPlace{
		{Root: filepath.Join(dir, "projects"), Depth: 3, File: historyFile},
		{Root: filepath.Join(dir, "tmp"), Depth: 2, File: historyFile},
	}
}

func historyFile(rel string) agent.HistoryFile {
	parts := strings.Split(rel, "/")
	switch {
	case len(parts) == 4 && parts[1] == "subagents":
		return agent.HistoryFile{Kind: agent.HistoryPart, Session: parts[2]}
	case len(parts) >= 3 && parts[1] == "chats":
		return base.LineFile(2)(rel)
	}
	return agent.HistoryFile{}
}
