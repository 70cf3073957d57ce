// Package walk holds the random walk: sequences of what people, agents and git
// do, against the built binary, with two oracles that share no code with it.
//
// The twin is a second repository without entire, in which the same git
// operations are done: tree, index, status, worktree, messages without our
// trailer, outputs and exit statuses must be the same. The model knows which
// session wrote which line, and so what every commit must be linked to.
//
// It is no library: everything in it is a test. `make test` runs a few short
// walks, `make walk` many long ones; WALK_SEQUENCES, WALK_OPS and WALK_SEED
// change how many, how long and which, WALK_REPLAY runs one list of operations
// as a failure prints it.
package walk
