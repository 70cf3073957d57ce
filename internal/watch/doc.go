// Package watch notices that files of a worktree change, and calls for a save when they have been quiet for a
// moment.
//
// It does not know what a save is: Run gets a function for that. It does not read a file of the worktree.
//
// It guarantees that one process at a time watches a worktree; that a change is followed by a save, within the
// limits per hour; that it ends by itself; and that the folders it asks the system to watch are bounded:
// beyond the bound, and where the system cannot watch, it calls for a save at an interval.
package watch
