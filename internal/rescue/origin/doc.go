// Package origin says to which project a conversation belongs.
//
// A conversation names the folder it was held in, which may since have been moved, renamed or deleted, or was a
// worktree. A [Resolver] therefore knows a project by what stays: the first commit of its repository, its remotes,
// and its commits. It asks, in this order: the folder itself; a repository that names the folder as a worktree of
// its own; the first commit or the remote that the agent recorded; what the stores of Entire say of the folder; and
// the commits that the conversation shows, if a repository has them.
//
// It guarantees that a conversation is assigned by proof only: what proves nothing stays without a project. It
// changes nothing, and records no key.
package origin
