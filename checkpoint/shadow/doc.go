// Package shadow knows what a step looks like in git: the names of shadow branches, the message
// of a step's commit, and the files that a step stores beside the worktree's.
//
// A shadow branch holds the steps on top of one commit (the base) in one worktree, until the
// work is committed. A [Step] says of what kind a step is, which session made it, and where in
// the transcript it stands; a [StepContext] says why it was made. The kept turns of a worktree
// are refs that keep steps as points after a commit.
//
// [StepMessage] writes a step as a commit message, [ParseStep] reads it again.
// [BranchName] and [ParseShadowBranchName] do the same for branch names. Package
// strategy/step writes the commits and moves the branch.
//
// It guarantees that
//   - ParseStep reads what StepMessage wrote, and what earlier versions and other tools wrote;
//   - a text of a user or a model cannot add a trailer to a step;
//   - a name with hostile digits or slashes is no shadow branch.
package shadow
