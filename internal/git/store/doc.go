// Package store is a repository: its objects, its refs and the git that runs in it.
//
// [Discover] finds a [Repo]. Its [Reader] reads objects natively if the object store is of
// the ordinary kind, otherwise through one `git cat-file --batch` process. Its [Writer]
// writes loose objects, and only those that changed; an object gets its name in
// [Writer.Sync], once its content is on disk. [Repo.HashFiles] stores files of the
// worktree, through git's filters or, where none applies, itself. [Repo.EditTree] builds a
// tree from an older one and some [Edit]s. [Repo.UpdateRefs] moves refs by compare-and-swap
// in one `git update-ref` transaction, or by the same protocol without git where git would
// do no more, after the objects they name are durable. [Repo.Run] runs any other command of git, in an
// environment without prompt, network and optional lock.
//
// The package writes no file of the user: neither the index nor the worktree, HEAD or the
// configuration. Package git builds the commands that do on top of it.
package store
