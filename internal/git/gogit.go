//go:build !nogogit

package git

import (
	"context"
	"fmt"
	"os"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Hash returns o as go-git's type, which holds SHA-1 IDs only: a 32-byte ID gives the zero
// hash.
func (o OID) Hash() plumbing.Hash {
	var h plumbing.Hash
	if o.n == 20 {
		copy(h[:], o.b[:20])
	}
	return h
}

// FromHash returns the OID of a go-git hash.
func FromHash(h plumbing.Hash) OID { return oidFromBytes(h[:]) }

// FromGoGit returns the repository that a go-git handle was opened on. It returns an error
// for a repository that is not stored in a file system.
func FromGoGit(ctx context.Context, repo *gogit.Repository) (*Repo, error) {
	if wt, err := repo.Worktree(); err == nil {
		return Discover(ctx, wt.Filesystem.Root(), os.Environ())
	}
	st, ok := repo.Storer.(*filesystem.Storage)
	if !ok {
		return nil, fmt.Errorf("open repository: storage %T is not in a file system", repo.Storer)
	}
	return Discover(ctx, st.Filesystem().Root(), os.Environ())
}
