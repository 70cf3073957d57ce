// Package faults proves that neither a rewind nor an undo loses anything whatever
// goes wrong: it runs the built binary under ptrace, counts the system calls that it
// and the git processes it starts make on the repository, and lets one of them fail,
// or kills the process at it, for every single one of them. A seccomp filter stops
// them at those calls only.
//
// It is no library: everything in it is tests. `make test` tries a sample spread
// over the calls; `make faults` tries them all (FAULTS=all; FAULTS_OF=undo one of
// the two, FAULTS_STEP=5 each fifth call, FAULTS_FROM=100 from the hundredth on).
// Where there is no ptrace for this system, kills at random instants stand in for it.
//
// After each fault the next command has to finish the rewind or roll it back and
// say which; what was not done must then work, and what was done must be undone. A
// model that knows nothing of the program's code compares every file, its mode and
// its time, the index, HEAD, stash and configuration with what they have to be.
//
// The same is done to `teleport receive` and `teleport send`: given once more, the command
// has to bring all of the session, and nothing twice.
package faults
