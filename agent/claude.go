package agent

import (
	"path"
	"path/filepath"
	"strings"

	"entire/id"
)

// ClaudeCode is Anthropic's Claude Code. Its transcripts are JSON lines, one
// content block each; its hooks are kept in .claude/settings.json.
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

// Folders implements Agent: one per working directory, named by its path with
// each UTF-16 unit but ASCII letters and digits replaced.
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

// SubagentTranscripts implements Agent: newer versions keep subagents in a
// folder of their session, older ones beside its transcript. An agentID that is
// not a plain word has no transcript.
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

// maxWord bounds an agent ID, so that a file name made of it is a valid one.
const maxWord = 128

// isWord reports whether s can be part of a file name without a second thought.
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

// sessionOf guesses the session from a transcript's name, "" if it does not tell.
func (ClaudeCode) sessionOf(transcript string) string {
	base := path.Base(strings.ReplaceAll(transcript, `\`, "/"))
	stem, ok := strings.CutSuffix(base, ".jsonl")
	if !ok || strings.HasPrefix(stem, "agent-") {
		return ""
	}
	return stem
}
