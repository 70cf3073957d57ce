// Package checkpointcmd has the commands for points: checkpoint, which saves the worktree under a
// label, and checkpoints, which lists, shows, compares and forgets them.
//
// A point is a step or a checkpoint that rewind can go back to. Below `entire checkpoint` there are
// hidden subcommands that other tools have there; [Register] is given those of other packages.
//
// It guarantees that forgetting says first what else is stored of the same conversation, and asks.
package checkpointcmd
