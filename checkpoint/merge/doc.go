// Package merge merges two histories of the metadata branch.
//
// Clones write checkpoints independently and exchange their branches. A three-way merge compares
// each checkpoint of the two sides with that of their common base. A part is what a checkpoint
// holds of one session: its slot, its messages, and files beside them.
//
// [Merge] merges a fetched history into the local branch.
// [Refs] does the same to the histories of checkpoints in refs of their own, and
// [CountNew] counts the checkpoints that a branch gained.
//
// It guarantees that
//   - the result depends only on the two histories and not on their order, so that clones
//     which exchange their branches end with the same commit;
//   - a checkpoint that one side changed has that side's version; one that both changed is
//     merged session by session, and each session is taken from one side;
//   - what either side has forgotten is not in the result;
//   - nothing else of either side is lost.
package merge
