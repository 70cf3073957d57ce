// Package condense turns the steps of a commit into a checkpoint, and carries forward what the commit
// did not take.
//
// One transaction writes the checkpoint to the metadata branch and moves the shadow branch; then the
// sessions' states are saved. The next event repairs a crash between the two. The remainder of the
// steps (files that the worktree or a stash still has) becomes the first step on the new HEAD;
// discarded work is kept below refs/entire/undo.
package condense
