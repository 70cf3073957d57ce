// Package durable writes files that processes share: completely or not at all, and under a
// lock if the new content depends on the old.
//
// It is not a store and does not interpret the bytes. It does not handle refs, which git
// compares and swaps.
//
// It guarantees that a reader of a path given to WriteFile or WriteCache sees the complete
// old or the complete new content, whatever happens to the writer; that what WriteFile
// reported as written survives a crash of the machine; that a lock ends with the process
// that holds it; that no link leads out of a Tree, a folder of somebody else in which
// files are replaced; that a file which appears where Swap or Take expects another one is not
// lost; and that its readers open regular files only, and read no more than
// their limit.
package durable
