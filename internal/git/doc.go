// Package git is the only package that starts git or opens a repository.
//
// [Discover] finds a [Repo], which answers and does what other packages need of git: what
// changed ([Repo.Status], [Repo.Staged], [Repo.DiffTrees]), which paths are ignored, what a
// file of a tree looks like in the worktree ([Repo.Materialise]), and a remote's refs
// ([Network]). It embeds the repository of package store, which reads and writes objects
// and refs. Git itself answers what only git knows: which paths changed, how a filter turns
// a file into a blob.
//
// The rooms below, lowest first, are for this package alone; aliases.go gives their types
// and functions to everybody else:
//
//   - config: git's own configuration and attributes
//   - object: IDs, trees, commits, and the files that hold objects
//   - process: the environment of git, the git that called a hook
//   - store: a repository's objects and refs, and the git that runs in it
//   - worktree: the user's files
//
// It never writes the user's index, HEAD or configuration, except in the methods that say
// so ([Repo.SetIndex], [Repo.CommitEdits], [Repo.Switch]). Only a [Worktree] writes the
// user's files, one by one, and never through a symbolic link. Only a [Network] uses the
// network, and it prompts only if Ask is set. The package never runs git's automatic
// maintenance.
package git
