// Package migrate moves checkpoints from the metadata branch into refs of their own, and back.
//
// A [Plan] says which checkpoints move; [Plan.Run] moves them. Nothing is lost: a ref gets the
// versions that the history of the branch has of its checkpoint, with their messages and authors;
// the history of a ref is kept on the branch in the folder [metadata.HistoryFolder], from which the same
// commits are made again.
//
// It guarantees that
//   - the tree of a checkpoint does not change by a move;
//   - a ref that moves to the branch and back ends at the same commit, byte for byte;
//   - each batch moves in one transaction: a checkpoint is never in no place, and an interrupted
//     run is finished by another one;
//   - a checkpoint that has different content in both places stays in both.
package migrate
