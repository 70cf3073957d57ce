// Package githead tells where HEAD is and has been, and which git operation is in progress.
//
// A [MadeCommit] is the commit that post-commit records. A [LinkChoice] is what prepare-commit-msg chose for the commit
// that git is about to make: the checkpoint, the sessions, and what was staged; commit.json holds the choices that no
// commit has taken up. [Reflog], [Resets] and [LinkedUndone] read HEAD's reflog, [OperationInGit] and [InSequence] the
// files by which git goes on with a merge, a rebase or a cherry-pick. [ReadMessage] and [ReplaceMessage] edit the message
// of the commit under way.
//
// It writes that message and commit.json, and moves one kind of ref: [DropShadowBranch] deletes a shadow branch, and keeps
// its turns as points, in one transaction. Whoever takes up a choice or records a commit holds [CommitLock]. A file of git's
// that is missing counts as empty, because git may remove it at any time.
package githead
