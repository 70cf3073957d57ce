// Package gemini is the adapter for Gemini CLI. Adapter implements agent.Agent: it turns
// the payloads of the hooks into events, installs and removes the hooks in
// .gemini/settings.json, and knows where transcripts are.
//
// A transcript of an older version is one JSON document (Document), which is written anew
// for every message; one of a newer version is lines (Record), which may also change or
// take back earlier messages. Message is a message of either, Call a tool call in it.
// SplitDocument and JoinDocument cut a document in pieces for storage and put it together.
//
// It guarantees what package claude does. JoinDocument returns the document that
// SplitDocument took, byte for byte.
package gemini
