package clitest

import (
	"path/filepath"
)

// Transcripts are those of the agents that are known.
func Transcripts(root string) map[string]string {
	return map[string]string{
		"Claude Code":        filepath.Join(root, "transcripts", "claude-code.jsonl"),
		"Gemini, a document": filepath.Join(root, "agents", "gemini", "session-old.json"),
		"Gemini, lines":      filepath.Join(root, "agents", "gemini", "session-new.jsonl"),
		"another":            filepath.Join(root, "agents", "generic", "transcript.jsonl"),
	}
}
