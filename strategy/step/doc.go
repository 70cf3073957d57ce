// Package step reads and writes steps and the points that people can go back to.
//
// A step is a commit on a shadow branch (`entire/<commit[:7]>-<worktree hash[:6]>`) whose tree is the
// worktree at one moment of a turn. A point is a step, a checkpoint, or a turn that a commit has
// taken and that refs/entire/turns keeps. Labels are refs that people give a step.
//
// A shadow branch is moved with compare-and-swap only, and only refs that this program made are
// ever moved or deleted (own_refs.go).
package step
