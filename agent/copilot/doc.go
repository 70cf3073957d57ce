// Package copilot is the adapter for GitHub's Copilot CLI: its hooks in .github/hooks/entire.json,
// its payloads, and its transcripts, which are lines of events (events.jsonl) in a folder for each
// session. The events of subagents are in the transcript of their session.
//
// Copilot CLI also runs the hooks of Claude Code. Package claude decodes those; this package reads the
// transcript for both.
package copilot
