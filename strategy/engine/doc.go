// Package engine carries out one event of an agent ([Handle]) or one git hook ([PrepareCommitMsg],
// [CommitMsg], [PostCommit]).
//
// It guarantees that the user's index, HEAD, configuration and worktree are not written, except by a
// rewind and by auto-commit; that objects are durable before a ref names them, and a ref before a state
// does; and that a later event or command finishes what a crash left undone.
package engine
