// Package handoff sends a session with its uncommitted files to another machine.
//
// A bundle is what travels: checkpoints, transcripts and the files that differ from HEAD. The
// receiver checks every path and object before it writes, and applies the files with the journal of
// package restore.
package handoff
