// Package histories makes the random histories that three oracles observe: plain git beside (internal/walk), the
// model of rewinds (internal/rewindwalk), and who wrote which line (internal/attribsuite).
//
// A history is a list of operations (Op): turns of agents with edits and shell commands, people's edits, commits,
// amends, rebases, merges, stashes, checkouts, resets. A Sort draws the operations of a seed by the Weights of its
// oracle, a Player plays them in a real repository with real git, and Sort.Report shortens a list that fails and
// prints it. An operation is a word such as turn:123; its number makes its choices from what is there.
//
// The player makes up what happens (edits.go: what is done to files and lines; commits.go and branches.go: git;
// session.go and call.go: an agent's transcript and hooks). The Oracle runs each command and edit, so that it can do
// the same elsewhere, and is told before and after what may move HEAD. Operations that only one oracle can judge,
// such as a rewind, are in Player.Kinds, beside the oracle.
//
// To add an operation: write a method of Player, name it in catalogue (player.go), and give it a weight in the Sort
// of each oracle that can observe it. To play one list again: PREFIX_REPLAY, as the failure says.
package histories
