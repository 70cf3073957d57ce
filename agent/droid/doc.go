// Package droid is the adapter for Factory's droid: its hooks in .factory/settings.json, its payloads,
// its transcripts, which are lines of messages in Claude Code's form, and the file beside each
// transcript that has the session's tokens.
//
// `droid exec` tells no prompt: the first call of a tool begins the turn, and the transcript has the
// prompt. A subagent calls hooks as a session of its own; its transcript's first line names the
// session that it works for.
package droid
