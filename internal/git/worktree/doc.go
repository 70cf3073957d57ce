// Package worktree reads, places and removes the user's files, one by one.
//
// [Open] opens the folder at the top of a [Worktree]. [Worktree.Swap] puts a file in the
// place of one that the caller expects there, and [Worktree.Take] takes one away; what
// stood there is moved aside and not lost, and an unexpected file is [ErrChanged].
// [FoldConflicts] names paths that a file system which ignores case cannot hold together.
//
// No write leads through a symbolic link or into `.git`: both are errors, as in a
// [durable.Tree].
package worktree
