// Package lineage says of each line of a file who wrote it: which commit brought
// it, by git's own blame, and whether an agent, a person or nobody that is known
// is its owner, by what checkpoints recorded ([entire/internal/attribution]).
//
// A commit's lines are looked for in the checkpoints that it names. Where the
// commit is not as it was when they were made (amended, rebased, squashed), its
// lines are known again by their prints. A commit that names none, because its
// message was rewritten, is compared with all checkpoints of the same files. A
// line that was only moved or re-indented has the owner it had before.
//
// It writes nothing but a cache, and needs no network, daemon or hook. What the
// evidence does not carry is unknown, never somebody's.
package lineage
