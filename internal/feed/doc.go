// Package feed brings what agents write into the session store: the raw stream,
// redacted, and the messages in it, normalised.
//
// It is called after each event of an agent with whatever position it left
// behind the last time, and is not an engine: it makes no checkpoints, knows no
// git, and decides nothing about sessions. Redaction is its caller's.
//
// It guarantees that each message of a transcript is in the store once, however
// a process ended that fed it, whatever the store could not take for a while,
// and whether or not the agent has deleted or rewritten the transcript since:
// what was fed stays, and of what is there now everything that is new is
// appended. Nothing is made durable (no fsync): what a crash of the machine takes
// from the store is read from the transcript again.
package feed
