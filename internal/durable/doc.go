// Package durable is how a file shared between processes is written: whole or
// not at all, and under a lock where the new content depends on the old.
//
// It is not a store and knows nothing about what the bytes mean. Refs are not
// its business either (git compares and swaps those).
//
// It guarantees that a reader of a path given to WriteFile or WriteCache sees
// the complete old or the complete new content, whatever happens to the writer;
// that what WriteFile reported as written survives a crash of the machine;
// that a lock dies with the process that holds it; that no link leads out of
// a Tree, a folder of somebody else's in which files are replaced; and that its
// readers open regular files only, and take no more than their bound.
package durable
