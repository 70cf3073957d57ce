package agent

import "strings"

// places tells whose a transcript is by a folder on its path.
var places = []struct {
	part string
	of   AgentType
}{
	{"/.claude/projects/", AgentTypeClaudeCode},
	{"/.gemini/tmp/", AgentTypeGemini},
	{"/.cursor/projects/", AgentTypeUnknown},
	{"/.copilot/session-state/", AgentTypeCopilot},
	{"/.factory/sessions/", AgentTypeUnknown},
	{"/.codex/sessions/", AgentTypeUnknown},
	{"/.codex/archived_sessions/", AgentTypeUnknown},
}

// TypeByLocation says which agent writes transcripts at path, or false when the
// path does not tell. The folder nearest to the file decides.
func TypeByLocation(path string) (AgentType, bool) {
	path = strings.ReplaceAll(path, `\`, "/")
	best, of := -1, AgentTypeUnknown
	for _, p := range places {
		if at := strings.LastIndex(path, p.part); at > best {
			best, of = at, p.of
		}
	}
	return of, best >= 0
}
