// Package rewindcmd has the commands that go back: rewind, undo, redo and restore.
//
// A plan is what a rewind would change; it is shown first, and a person agrees to it. A scope limits
// a rewind to a session, a turn or paths. The log lists the rewinds that were made.
//
// It guarantees that --dry-run changes nothing, that nothing is replaced without consent or --force,
// and that the texts name every file that stays as it is, and why. The engine (strategy/rewind) does
// the work.
package rewindcmd
