// Package checkpointcmd has the commands for points: save, which saves the worktree under a label,
// guard, which saves it before a person's own commands that may lose work, and forget, which removes
// checkpoints for good.
//
// A point is a step or a checkpoint that rewind can go back to. [Former] returns the commands that had
// other names: checkpoint, which is save, and checkpoints, which lists, shows, compares and forgets.
// Below checkpoint there are subcommands that other tools have there; Former is given those of other
// packages.
//
// It guarantees that forgetting says first what else is stored of the same conversation, and asks.
package checkpointcmd
