// Package condense turns the steps of a commit into a checkpoint, and carries forward what the commit
// did not take.
//
// The checkpoint is written to the metadata branch first, then the shadow branch moves, then the
// session's state is saved; a crash between two of these is repaired by the next event. The remainder
// of the steps (files that are uncommitted, stashed or discarded) becomes the first step on the new
// HEAD.
package condense
