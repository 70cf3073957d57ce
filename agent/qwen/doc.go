// Package qwen is the adapter for Alibaba's Qwen Code. Adapter implements agent.Agent and
// agent.RecordReader: its hooks are in .qwen/settings.json, in the form of Claude Code's, and its
// transcripts are JSON lines whose envelope is that of Claude Code and whose messages have the form of
// Gemini's.
//
// It guarantees: a repeated hook for a prompt, which Qwen Code sends before every call of the model, is
// no event; Install followed by Uninstall returns the settings file byte for byte; a line of a
// transcript that it cannot read costs only that line.
package qwen
