// Package git is the only package that starts git or opens a repository.
//
// Git itself answers what only git knows: which paths changed, how a file is
// filtered into a blob, where a ref points. Objects are read natively where the
// store is of the ordinary kind, and else through one `git cat-file --batch`
// process per [Repo]; they are written natively, as loose objects, only along
// the path that changed. Refs move by compare-and-swap in
// `git update-ref` transactions.
//
// It never writes the user's index, HEAD or configuration. Only a [Worktree]
// writes the user's files, one by one, and never through a symbolic link. It
// goes to the network only as a [Network], prompts only if that is told to, and
// never runs git's automatic maintenance.
package git
