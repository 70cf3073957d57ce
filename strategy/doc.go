// Package strategy says what happens when a turn begins or ends, when a commit
// is made, and when somebody rewinds.
//
// [ManualCommitStrategy] is the engine. It turns one [agent.Event] or one git
// hook into steps on a shadow branch, a record on the metadata branch, a state
// file. Pure functions decide which sessions a commit belongs to, what is carried
// forward, and what a rewind would write and remove; the code around them is thin.
//
// It guarantees that the user's index, HEAD, configuration and, outside a
// rewind, worktree are never written; that objects are durable before a ref
// names them and a ref before a state does; and that the next call of any kind
// finds and finishes what a crash left undone.
package strategy
