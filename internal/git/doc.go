// Package git is the only package that starts git or opens a repository.
//
// Git itself answers what only git knows: which paths changed, how a filter turns a file
// into a blob, where a ref points. The package reads objects natively if the repository's
// object store is of the ordinary kind, otherwise through one `git cat-file --batch`
// process per [Repo]. It writes objects natively, as loose objects, and only those that
// changed. Refs move by compare-and-swap in `git update-ref` transactions.
//
// It never writes the user's index, HEAD or configuration, except in the methods that say
// so ([Repo.SetIndex], [Repo.CommitEdits], [Repo.Switch]). Only a [Worktree] writes the
// user's files, one by one, and never through a symbolic link. Only a [Network] uses the
// network, and it prompts only if Ask is set. The package never runs git's automatic
// maintenance.
package git
