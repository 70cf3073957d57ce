// Package faults proves that a rewind loses nothing whatever goes wrong: it runs
// the built binary under ptrace, counts the system calls that it and the git
// processes it starts make on the repository, and lets one of them fail, or kills
// the process at it, for every single one of them.
//
// It is no library: everything in it is tests. `make test` tries a sample spread
// over the calls; `make faults` tries them all (FAULTS=all). Where there is no
// ptrace for this system, kills at random instants stand in for it.
//
// After each fault the next command has to finish the rewind or roll it back and
// say which. A model that knows nothing of the program's code then compares every
// file, its mode and its time, the index, HEAD, stash and configuration with what
// they have to be.
package faults
