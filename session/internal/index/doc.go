// Package index lists the sessions of a store and measures their disk use, each with a cache.
//
// [List] returns every session with its metadata. It compares one stamp (size, times, inode) for each
// session with those in the file index.cache and reads only what differs. [MeasureDiskUse] does the
// same for sizes. An encoder and a decoder write and read the frame of such a file: a magic, a
// checksum, a table of strings and the entries; the index of state files in package session uses
// them too.
//
// The caches can be deleted at any time. A damaged, old or unwritable one costs time and never
// changes a result.
package index
