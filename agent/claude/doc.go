// Package claude is the adapter for Anthropic's Claude Code, and for agents that run its
// hooks, such as Copilot CLI. Adapter implements agent.Agent: it turns the payloads of the
// hooks into events, installs and removes the hooks in .claude/settings.json, and knows
// where transcripts are.
//
// A transcript is JSON lines, which Records reads; Parts reads the content of a message, which
// other agents write in the same form. Outline reads only what links the lines. SetParent and Failure
// repair a line.
//
// It guarantees: Decode refuses a payload with an unsafe session or tool-use ID before the
// ID can become part of a path; anything else that is unexpected is skipped and never
// fatal. Install followed by Uninstall returns the settings file byte for byte.
package claude
