// Package checkpoint keeps checkpoints in git: the steps of a session on its shadow branch, and
// the permanent record of a commit's sessions on the metadata branch entire/checkpoints/v1.
//
// It makes no decisions: package strategy decides when a step is made, which sessions a commit
// is linked to, and what a rewind writes.
//
// It guarantees that
//   - a ref moves only by compare-and-swap, after everything it will name is
//     in the object store;
//   - writing a record reads and rewrites one path of the metadata tree, so
//     its cost does not depend on the number of checkpoints;
//   - a session keeps its folder, and no write changes another session's
//     folder, even if that one is damaged;
//   - transcript bytes are stored once: a full chunk is never written again;
//   - readers accept what other tools and earlier versions wrote, and report
//     what is missing instead of returning less.
//
// The exported types, and the methods of [GitStore], are a documented API that uses go-git's
// types and therefore SHA-1. The code below it uses the object IDs of internal/git.
package checkpoint
