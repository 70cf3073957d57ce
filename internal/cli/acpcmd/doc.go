// Package acpcmd is the command "entire acp": a proxy between an editor and an agent that speak the
// Agent Client Protocol. It starts the agent, passes every byte on, and calls the hooks of the generic
// agent (`entire hooks generic …`) at the start and end of sessions and turns. The conversation is kept
// as lines of records, without secrets, in git's directory (entire/acp), where the hooks read it.
//
// It guarantees that the agent is never disturbed: an error in recording is written to the log of the
// hooks or nowhere, and never to the protocol.
package acpcmd
