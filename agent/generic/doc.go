// Package generic is the adapter for every agent without one: a tool that can run a
// command reports its events in this program's own format (docs/agents.md). Adapter
// implements agent.Agent without settings and without a command to resume; Records reads a
// transcript in that format, and in that of Claude Code.
//
// It guarantees: Decode refuses a payload with an unsafe ID, of another version, or without
// an event; anything else that is unexpected is named in Event.Warnings and ignored.
package generic
