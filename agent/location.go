package agent

import (
	"strings"
)

// foldersByAgent names the agent for a folder in a transcript's path.
var foldersByAgent = []struct {
	part string
	of   AgentType
}{
	{"/.claude/projects/", AgentTypeClaudeCode},
	{"/.gemini/tmp/", AgentTypeGemini},
	{"/.qwen/projects/", AgentTypeQwen},
	{"/.pi/agent/sessions/", AgentTypePi},
	{"/.cursor/projects/", AgentTypeCursor},
	{"/.copilot/session-state/", AgentTypeCopilot},
	{"/GitHub.copilot-chat/transcripts/", AgentTypeCopilot}, // VS Code, whose own agent runs hooks of Copilot CLI and Claude Code
	{"/.factory/sessions/", AgentTypeDroid},
	{"/.codex/sessions/", AgentTypeCodex},
	{"/.codex/archived_sessions/", AgentTypeCodex},
}

// TypeByLocation returns the agent that writes transcripts at path; false if the path does
// not show it. The folder nearest to the file decides.
func TypeByLocation(path string) (AgentType, bool) {
	path = strings.ReplaceAll(path, `\`, "/")
	best, of := -1, AgentTypeUnknown
	for _, p := range foldersByAgent {
		if at := strings.LastIndex(path, p.part); at > best {
			best, of = at, p.of
		}
	}
	return of, best >= 0
}
