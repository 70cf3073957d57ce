// Package checkpoint keeps checkpoints in git: the steps of a session on its
// shadow branch, and the permanent record of a commit's sessions on the
// metadata branch entire/checkpoints/v1.
//
// It is not a policy: when a step is taken, which sessions a commit belongs to
// and what a rewind writes are decided in package strategy.
//
// It guarantees that
//   - a ref moves only by compare-and-swap, after everything it will name is
//     in the object store;
//   - writing a record reads and rewrites one path of the metadata tree, so
//     its cost does not depend on how many checkpoints there are;
//   - a session keeps its folder, and no write touches another session's
//     folder, whatever state that one is in;
//   - transcript bytes are stored once: a chunk that is full is never written
//     again;
//   - readers accept what other tools and earlier versions wrote, and say what
//     is missing instead of returning less.
//
// The exported types, and the methods of [GitStore], are a documented API that
// speaks go-git's types and therefore SHA-1. Everything under it speaks the
// object IDs of internal/git.
package checkpoint
