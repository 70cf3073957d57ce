// Package codex is the adapter for OpenAI's Codex. Adapter implements agent.Agent and
// agent.RecordReader: its hooks are in .codex/hooks.json, its transcripts ("rollouts") are JSON lines in
// folders by day, and a subagent's rollout lies beside that of its session.
//
// It guarantees: text that Codex itself sends in the user's name is never a prompt; an answer's usage
// counts once, although two kinds of lines report it; Install followed by Uninstall returns the hook
// file byte for byte; a line that it cannot read costs only that line.
package codex
