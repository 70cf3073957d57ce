// Package audit checks the metadata branch against the statements that clones made about its checkpoints.
//
// Verify reads every object of the branch's tree and returns a Result: how many checkpoints have statements and
// signatures, whose they are, and the Findings. A finding names a checkpoint or an object, and what is wrong with it. A
// Signers file says which keys are trusted, in OpenSSH's form of allowed signers. Commits compares commits of the user
// with the statements of their checkpoints.
//
// It guarantees that
//   - each object is hashed, so that a changed bit is found wherever git would use it;
//   - a checkpoint that is missing, was changed after it was stated, or has a statement that nobody trusted signed, is
//     named; a forgotten one is not missing;
//   - it reads only, works without a network, and hostile content is a finding or an error.
//
// It cannot show that the statement of a clone was true when it was made, nor that the last checkpoints of all clones
// together were not taken away. docs/audit.md says more.
package audit
