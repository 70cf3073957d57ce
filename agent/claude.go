package agent

import (
	"path"
	"path/filepath"
	"strings"

	"entire/id"
)

// ClaudeCode is Anthropic's Claude Code. Its transcripts are JSON lines with one content
// block each; its hooks are in .claude/settings.json.
type ClaudeCode struct{}

var _ Agent = ClaudeCode{}

// Name implements Agent.
func (ClaudeCode) Name() AgentName { return AgentNameClaudeCode }

// Type implements Agent.
func (ClaudeCode) Type() AgentType { return AgentTypeClaudeCode }

// SettingsPath implements Agent.
func (ClaudeCode) SettingsPath() string { return ".claude/settings.json" }

// ResumeCommand implements Agent.
func (ClaudeCode) ResumeCommand(session id.SessionID) string {
	return "claude -r " + session.String()
}

// TranscriptPath implements Agent.
func (c ClaudeCode) TranscriptPath(home, top string, session id.SessionID) string {
	return filepath.Join(c.Folders(home, top, nil)[0], c.FileName(session, nil))
}

// TranscriptRoot implements Agent.
func (ClaudeCode) TranscriptRoot(home string) string {
	return filepath.Join(home, ".claude", "projects")
}

// Folders implements Agent: there is one folder for each working directory, named by its
// path with every UTF-16 unit replaced that is not an ASCII letter or digit.
func (c ClaudeCode) Folders(home, top string, _ func(string) []byte) []string {
	return []string{filepath.Join(c.TranscriptRoot(home), dashed(top))}
}

// OwnsFile implements Agent.
func (c ClaudeCode) OwnsFile(name string, session id.SessionID) bool {
	return name == c.FileName(session, nil)
}

// FileName implements Agent.
func (ClaudeCode) FileName(session id.SessionID, _ []byte) string { return session.String() + ".jsonl" }

func dashed(p string) string {
	var b strings.Builder
	for _, r := range p {
		switch {
		case isAlnum(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			b.WriteString("--")
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

func isAlnum(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// SubagentTranscripts implements Agent: newer versions keep subagents' transcripts in a
// folder of their session, older ones next to its transcript. There is none for an agentID
// that is not a plain word.
func (ClaudeCode) SubagentTranscripts(transcript string, session id.SessionID, agentID string) []string {
	if transcript == "" || !isWord(agentID) {
		return nil
	}
	dir, file := filepath.Dir(transcript), "agent-"+agentID+".jsonl"
	beside := filepath.Join(dir, file)
	if session.IsZero() {
		return []string{beside}
	}
	return []string{filepath.Join(dir, session.String(), "subagents", file), beside}
}

// maxWord bounds the length of an agent ID, so that it fits in a file name.
const maxWord = 128

// isWord reports whether s is safe as part of a file name.
func isWord(s string) bool {
	if s == "" || len(s) > maxWord {
		return false
	}
	for _, r := range s {
		if !isAlnum(r) && r != '_' && r != '-' {
			return false
		}
	}
	return true
}

// sessionOf returns the session that a transcript's file name contains, "" if there is
// none.
func (ClaudeCode) sessionOf(transcript string) string {
	base := path.Base(strings.ReplaceAll(transcript, `\`, "/"))
	stem, ok := strings.CutSuffix(base, ".jsonl")
	if !ok || strings.HasPrefix(stem, "agent-") {
		return ""
	}
	return stem
}
