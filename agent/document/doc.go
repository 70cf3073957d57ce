// Package document reads and edits transcripts that are one JSON document with a list of messages,
// which the agent writes again with every message: Is, Parse, MessageIDs, and Cut, Split and Join,
// which change no other byte.
package document
