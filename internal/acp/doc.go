// Package acp listens to an editor and an agent that speak the Agent Client Protocol with each other
// (JSON-RPC 2.0, one message in a line, agentclientprotocol.com), and tells what happened in each of
// their sessions.
//
// Pipe passes the bytes of one side on to the other, unchanged. A Listener gets each whole message
// before it is passed on; it calls a Recorder at the start and end of sessions and turns, and with
// the records of what was said and done.
//
// It guarantees: whatever the messages hold, every byte arrives at the other side, in order; a
// message that the Listener does not understand has no effect. It opens no file and starts no
// process.
package acp
