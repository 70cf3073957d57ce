package claude

import (
	"path"
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/id"
)

// Adapter is Anthropic's Claude Code. Its transcripts are JSON lines with one content
// block each; its hooks are in .claude/settings.json.
type Adapter struct{}

var _ agent.Agent = Adapter{}

// Name implements Agent.
func (Adapter) Name() agent.AgentName { return agent.AgentNameClaudeCode }

// Type implements Agent.
func (Adapter) Type() agent.AgentType { return agent.AgentTypeClaudeCode }

// Profile implements Agent.
func (Adapter) Profile() agent.Profile {
	return agent.Profile{
		Description:      "Claude Code - Anthropic's CLI coding assistant",
		HookFiles:        []agent.HookFile{{Path: ".claude/settings.json"}},
		UserHookFiles:    []agent.HookFile{{Path: ".claude/settings.json"}},
		Programs:         []string{"claude"},
		Folders:          []string{".claude", "CLAUDE.md"},
		HomeFolders:      []string{".claude"},
		KeepsTranscripts: true, RecordsAllCalls: true, ReadsAncestors: true,
		Asker: &agent.Asker{
			Program: "claude", Model: "sonnet",
			Args:  []string{"--print", "--output-format", "json", "--setting-sources", ""},
			Homes: []string{".local/bin", ".claude/local"},
		},
		ShellVars:  []string{"CLAUDECODE"},
		ProjectVar: "CLAUDE_PROJECT_DIR", TranscriptsVar: "ENTIRE_TEST_CLAUDE_PROJECT_DIR",
	}
}

// ResumeCommand implements Agent.
func (Adapter) ResumeCommand(session id.SessionID) string {
	return "claude -r " + session.String()
}

// TranscriptPath implements Agent.
func (c Adapter) TranscriptPath(home, top string, session id.SessionID) string {
	return filepath.Join(c.Folders(home, top, nil)[0], c.FileName(session, nil))
}

// TranscriptRoot implements Agent.
func (Adapter) TranscriptRoot(home string) string {
	return filepath.Join(home, ".claude", "projects")
}

// Folders implements Agent: there is one folder for each working directory, named by its
// path with every UTF-16 unit replaced that is not an ASCII letter or digit.
func (c Adapter) Folders(home, top string, _ func(string) []byte) []string {
	return []string{filepath.Join(c.TranscriptRoot(home), jsontext.Dashed(top))}
}

// OwnsFile implements Agent.
func (c Adapter) OwnsFile(path string, session id.SessionID) bool {
	return filepath.Base(path) == c.FileName(session, nil)
}

// FileName implements Agent.
func (Adapter) FileName(session id.SessionID, _ []byte) string { return session.String() + ".jsonl" }

// SubagentTranscripts implements Agent: newer versions keep subagents' transcripts in a
// folder of their session, older ones next to its transcript. There is none for an AgentID
// that is not a plain word.
func (Adapter) SubagentTranscripts(transcript string, session id.SessionID, agentID string) []string {
	if transcript == "" || !jsontext.IsSafeName(agentID) {
		return nil
	}
	dir, file := filepath.Dir(transcript), "agent-"+agentID+".jsonl"
	beside := filepath.Join(dir, file)
	if session.IsZero() {
		return []string{beside}
	}
	return []string{filepath.Join(dir, session.String(), "subagents", file), beside}
}

// sessionOf returns the session that a transcript's file name contains, "" if there is
// none.
func (Adapter) sessionOf(transcript string) string {
	base := path.Base(strings.ReplaceAll(transcript, `\`, "/"))
	stem, ok := strings.CutSuffix(base, ".jsonl")
	if !ok || strings.HasPrefix(stem, "agent-") {
		return ""
	}
	return stem
}
