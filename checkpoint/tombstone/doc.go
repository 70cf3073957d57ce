// Package tombstone permanently removes checkpoints from the metadata branch, or secrets from their
// texts, and keeps them removed.
//
// To forget a checkpoint is to rewrite the history of the branch as if the checkpoint had never
// been written, and to add a tombstone with its ID, so that other clones drop it too. The [Extent]
// of checkpoints is all that the history has of them. A history is honoured, or without what is
// forgotten, if no commit of it has a checkpoint with a tombstone.
//
// To redact a checkpoint is to rewrite the history as if its texts had been stored without what
// [Redact] takes out of them; a file for each version says so to other clones.
//
// [Forget] rewrites the local branch, [DropReflog] and [DropFetched] remove what still reaches the
// old one, and [RefsReaching] lists what remains. [WithoutForgotten] prepares histories for a
// merge; [DropForgotten] repairs the branch after another program wrote a checkpoint again.
//
// It guarantees that
//   - the branch moves once, so that an interrupted call leaves the old or the new one;
//   - the rewritten commits depend on the old ones alone, so that clones converge;
//   - no commit of the new branch reaches a file that only forgotten checkpoints had;
//   - all else of the history is as it was.
package tombstone
