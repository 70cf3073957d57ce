// Package agentlib says how each agent stands in a repository: whether its hooks are installed,
// whether it is found on this machine, when this program last heard of it, and whether it has worked
// here without being captured.
//
// [Look] collects a [Standing] for each agent. [NoteHeard] is called by hooks and leaves the time of
// the last event in the time of one empty file for each agent, without a process and without waiting
// for the disk.
//
// It guarantees that it changes nothing but these files, and reads a bounded number of files.
package agentlib
