// Package teleportcmd has the commands below `entire share` that take a session to another machine: send,
// receive, list and cancel.
//
// A bundle is a session packed for another machine: transcript, checkpoints, uncommitted work. It is
// sealed with a code, and goes by a remote or as a file (the transport). An arrival is a bundle that
// is being received; it is checked and previewed before anything is written.
//
// It guarantees that whoever has no code reads nothing, that a bundle of anybody writes only where
// the preview says, and that local work is not replaced without consent.
package teleportcmd
