// Package histories makes the random histories that three oracles observe: plain git beside (internal/walk), the
// model of rewinds (internal/rewindwalk), and who wrote which line (internal/attribsuite).
//
// A history is a list of operations: turns of agents with edits and shell commands, people's edits, commits, amends,
// rebases, merges, stashes, checkouts, resets. An Op is a word such as turn:123; its number makes its choices from
// what is there, so that any part of a list can be played, too.
//
//   - A Sort is what one oracle wants: it draws the operations of a seed by their Weights, plays them, shortens a list
//     that fails, and prints it. PREFIX_REPLAY plays one list again.
//   - A Player plays one history in a real repository with real git and the hooks of the real program. It makes up what
//     happens: what is done to files and lines (edits.go), and git's commands (commits.go, branches.go).
//   - A Session is an agent's: a transcript and calls of hooks (session.go, call.go), in the form of that agent's program, which
//     is its Dialect (dialect.go).
//   - An Oracle runs each command and edit, so that it can do the same elsewhere or write it down, and looks at what
//     came of it. An operation that only one oracle can judge, such as a rewind, is a function of the oracle's in
//     Player.Kinds.
//
// To add an operation: write a method of Player, name it in catalogue (player.go), and give it a weight in the Sort of
// each oracle that can observe it.
//
// The package is for tests only.
package histories
