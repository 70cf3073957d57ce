// Package gogit converts between go-git's types, which the documented API of checkpoint and
// strategy uses, and those of internal/git.
//
// A hash is go-git's object ID, which holds SHA-1 only. Only those two packages import gogit, so
// that the program is linked without go-git.
package gogit

import (
	"context"
	"fmt"
	"os"

	upstream "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"entire/internal/git"
)

// Hash returns o as go-git's type. A 32-byte ID gives the zero hash.
func Hash(o git.OID) plumbing.Hash {
	var h plumbing.Hash
	if b := o.Bytes(); len(b) == len(h) {
		copy(h[:], b)
	}
	return h
}

// FromHash returns the OID of a go-git hash.
func FromHash(h plumbing.Hash) git.OID { return git.MustOID(h.String()) }

// FromRepository returns the repository that a go-git handle was opened on. It returns an error
// for a repository that is not stored in a file system.
func FromRepository(ctx context.Context, repo *upstream.Repository) (*git.Repo, error) {
	if wt, err := repo.Worktree(); err == nil {
		return git.Discover(ctx, wt.Filesystem.Root(), os.Environ())
	}
	st, ok := repo.Storer.(*filesystem.Storage)
	if !ok {
		return nil, fmt.Errorf("open repository: storage %T is not in a file system", repo.Storer)
	}
	return git.Discover(ctx, st.Filesystem().Root(), os.Environ())
}
