// Package feed writes what agents record into the session store: the raw stream, redacted, and its
// messages, normalised.
//
// It is called after each event of an agent and continues from the position that it saved the last
// time. It creates no checkpoints, knows no git and decides nothing about sessions. The caller
// supplies redaction.
//
// It guarantees that each message of a transcript is stored once, even if the process was killed, the
// store could not be written for a while, or the agent deleted or rewrote the transcript. Stored
// messages stay, and everything new in the present transcript is appended. Nothing is made durable (no
// fsync): what the store loses in a crash of the machine is read from the transcript again.
package feed
