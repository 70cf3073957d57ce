// Package worktree looks at the user's files: it takes a snapshot of every file that differs from
// HEAD, with a cache of stat data, and says what a snapshot could not hold.
//
// A snapshot lists paths with mode and blob; the blobs are written to the object store when the
// files are read. Ignored files are left out, unless the settings include them. The package never
// writes to the worktree or to the user's index.
package worktree
