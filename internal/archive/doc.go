// Package archive is the container in which sessions travel: between stores, as
// a backup, and sealed in a teleport. docs/teleport.md has its format.
//
// An archive is a stream of entries: a small header each and content of a known
// length. The reader holds no content in memory, checks the SHA-256 of each entry
// and, at the end, of all of them in their order, so that a torn, cut, reordered
// or added-to archive is an error. It bounds what a hostile one may ask for.
//
// Names in an archive are names and never paths: this package opens no file.
// Nobody may act on what was read before the reader has returned io.EOF.
package archive
