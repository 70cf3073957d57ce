// Package agenttrace writes and checks records of Agent Trace 0.1.0: which lines of which files a
// contributor wrote in a conversation, at one revision.
//
// A [Record] is about one commit. [Record.Encode] checks a record before it writes it, so that no
// invalid record leaves the program; [Decode] accepts only what Encode writes.
//
// The package is pure. It knows nothing of repositories: the caller says how many lines a file has.
package agenttrace
