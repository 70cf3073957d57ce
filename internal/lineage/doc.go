// Package lineage finds who wrote each line of a file: git's blame names the commit that
// brought the line, and the records in checkpoints ([entire/internal/attribution]) name
// its owner: an agent, a person, or unknown.
//
// It looks for a commit's lines in the checkpoints that the commit names. Where the commit
// differs from the one that the checkpoint recorded (it was amended, rebased or squashed),
// it matches the lines by their prints. A commit that names no checkpoint, because its
// message was rewritten, is compared with all checkpoints of the same files. A line that a
// commit only moved or re-indented keeps its owner.
//
// The package writes nothing but a cache, and needs no network, daemon or hook. Where the
// evidence is insufficient, the owner is unknown.
package lineage
