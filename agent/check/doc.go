// Package check checks, repairs and forks transcripts. Transcript and Messages report the
// problems that keep an agent from resuming a conversation, such as a parent that does not
// exist or a tool call without a result. Repair writes a transcript without them. Fork
// writes the conversation up to one message, under a new session ID.
//
// It guarantees: it reads a stream and keeps no transcript in memory, except a list
// of messages. Repair changes only what Transcript complains about; a second Repair changes
// nothing.
package check
