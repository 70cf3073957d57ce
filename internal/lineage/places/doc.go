// Package places keeps in which files distinctive lines stood when the tool was enabled, in a file of the cache.
//
// A line that only one file had, and that another one has now, is older than the tool. [Places] holds the files that have
// changed since, because only these can have lost a line. Its file may be deleted at any time: whoever asks reads the lines
// again. Package lineage fills it from git, and is its only user.
package places
