// Package walk holds the random walk: histories of internal/histories, played
// with the built binary, with two oracles that share no code with it.
//
// The twin is a second repository without entire, in which the same git
// operations are done: tree, index, status, worktree, messages without our
// trailer, outputs and exit statuses must be the same. The model knows which
// session wrote which line, and so what every commit must be linked to.
//
// The model is exact where it can be. It allows either answer where nobody could
// know (a shell's change while two sessions are in mid-turn, work moved to
// another file by hand, lines that a commit without hooks took), and for what is
// left to be decided, by the names in WALK_SWITCHES:
//
//	away       work that a person threw away stays reachable, and links when it comes back
//	unheard    after a commit without hooks, the next hook of any session brings all up to date
//	over-left  no branch stays for a session whose work another one replaced
//
// The last lines of a run tell how many commits had one possible answer.
//
// It is no library: everything in it is a test. `make test` runs a few short
// walks, `make walk` many long ones; WALK_SEQUENCES, WALK_OPS and WALK_SEED
// change how many, how long and which, WALK_REPLAY runs one list of operations
// as a failure prints it (histories.Sort has all variables). Operations that only
// these oracles can judge (a rewind, push, clean, doctor, gc, a subagent) are here.
package walk
