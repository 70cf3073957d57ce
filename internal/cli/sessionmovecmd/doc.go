// Package sessionmovecmd has the commands that continue a session or take it elsewhere: resume, and
// below `entire sessions` resume, continue, fork, export and import.
//
// To resume a session is to put its transcript where its agent finds it and to print the agent's
// command. A fork is a session that begins with a part of another one. An export is an archive of
// sessions, which import reads, as it reads transcripts of agents.
//
// It guarantees that an existing transcript is not replaced without --force.
package sessionmovecmd
