// Package process is about the environment and the processes around git.
//
// [ReadEnv] divides the variables of an environment into those of one repository and the
// rest, and [FixedVars] are set for every git: no prompt, no network, no optional lock.
// [InvocationAbove] finds the command line of the git that called a hook. [CreateApart] creates
// a repository for the files of a folder that is not a repository itself.
//
// The package does not start git, and it reads the environment only as it is given.
package process
