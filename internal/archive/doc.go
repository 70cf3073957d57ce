// Package archive is the container format for sessions: between stores, in a backup, and sealed in a
// teleport bundle. docs/store.md (Exports) describes the format.
//
// An archive is a stream of entries, each with a small header and content of known length. The reader
// keeps no content in memory. It checks the SHA-256 of each entry and, at the end, of all entries in
// order, so that a truncated, reordered or extended archive is an error. It also limits the resources
// that a hostile archive can use.
//
// Names in an archive are not paths: this package opens no files. Callers must not act on content
// before the reader has returned io.EOF.
package archive
