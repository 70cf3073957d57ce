// Package gemini is the adapter for Gemini CLI. Adapter implements agent.Agent: it turns
// the payloads of the hooks into events, installs and removes the hooks in
// .gemini/settings.json, and knows where transcripts are.
//
// A transcript of an older version is one JSON document, which is written anew for every
// message; one of a newer version is lines, which may also save all messages again (Saved) or
// take some back. Records reads a message of either.
//
// It guarantees what package claude does.
package gemini
