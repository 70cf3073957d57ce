// Package transcript reads the transcripts that agents write, and cuts and restores them.
//
// A transcript is bytes; the conversation is their meaning (package agent). Ingesting reads only
// what is new since the last event, redacts it and stores it in chunks; it also records which files
// each tool call of the turn read or wrote. A rewind cuts a live transcript at a turn and keeps what
// it cut, so that it can be restored.
//
// What is not in a transcript yet is read before a commit is decided: agents' documents, what their programs
// tell on sockets ([ReadOpenTurns]), and the calls that hooks reported ([KeepHookCall]).
package transcript
