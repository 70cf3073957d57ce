package git

import (
	"context"
	"errors"

	"entire/internal/bodies"
	"entire/internal/git/store"
	"entire/internal/git/worktree"
	"entire/internal/vault"
)

// Repo is one worktree of one repository, as seen from one process: what [store.Repo] can
// do, and the commands of git that are built on it. [Discover] returns it, and it must be
// closed. Methods that read objects share one subprocess and may be called from one
// goroutine at a time.
type Repo struct {
	*store.Repo

	// Vault seals what is stored of conversations. The Reader opens with it what is sealed.
	Vault *vault.Vault

	spelling *worktree.Spelling // of the worktree's names; nil until needed

	// Bodies has large parts of conversations, for which small blobs stand. The Reader reads them with it.
	Bodies *bodies.Folder
}

// Discover finds the repository around dir as git does, using the repository variables in
// environ. It finds an ordinary repository (`.git` is a folder that belongs to the user,
// no repository variables, no extensions) without starting git, and otherwise runs git.
//
// It returns [ErrNotRepository], possibly wrapped, if there is none.
func Discover(ctx context.Context, dir string, environ []string) (*Repo, error) {
	r, err := store.Discover(ctx, dir, environ)
	if err != nil {
		return nil, err
	}
	return withVault(&Repo{Repo: r}), nil
}

// OpenWorktree opens the worktree. It must be closed.
func (r *Repo) OpenWorktree() (*worktree.Worktree, error) {
	if r.Top == "" {
		return nil, errors.New("open worktree: a bare repository has none")
	}
	return worktree.Open(r.Top)
}
