package checkpoint

import (
	"fmt"

	upstream "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"entire/internal/git"
	"entire/internal/gogit"
)

// BuildTreeFromEntries stores the tree that has the given files at the given full paths, and
// returns its hash. No files make the empty tree.
func BuildTreeFromEntries(repo *upstream.Repository, entries map[string]object.TreeEntry) (hash plumbing.Hash, err error) {
	ctx := withoutContext()
	err = withRepo(ctx, repo, func(r *git.Repo) error {
		edits := make([]git.Edit, 0, len(entries))
		for path, e := range entries {
			mode := uint32(e.Mode)
			if e.Mode == filemode.Deprecated {
				mode = git.ModeFile
			}
			edits = append(edits, git.Edit{Path: path, Mode: mode, OID: gogit.FromHash(e.Hash)})
		}
		tree, err := r.EditTree(ctx, git.OID{}, edits)
		hash = gogit.Hash(tree)
		if err != nil {
			return err
		}
		return r.Writer().Sync()
	})
	if err != nil {
		return plumbing.ZeroHash, fmt.Errorf("build tree: %w", err)
	}
	return hash, nil
}

// CreateBlobFromContent stores content as a blob, and returns its hash.
func CreateBlobFromContent(repo *upstream.Repository, content []byte) (hash plumbing.Hash, err error) {
	err = withRepo(withoutContext(), repo, func(r *git.Repo) error {
		oid, err := r.Writer().Blob(content)
		hash = gogit.Hash(oid)
		if err != nil {
			return err
		}
		return r.Writer().Sync()
	})
	if err != nil {
		return plumbing.ZeroHash, fmt.Errorf("create blob: %w", err)
	}
	return hash, nil
}

// FlattenTree adds every file below tree to entries, under its full path after prefix.
func FlattenTree(repo *upstream.Repository, tree *object.Tree, prefix string, entries map[string]object.TreeEntry) error {
	for _, e := range tree.Entries {
		path := e.Name
		if prefix != "" {
			path = prefix + "/" + e.Name
		}
		if e.Mode != filemode.Dir {
			entries[path] = object.TreeEntry{Name: path, Mode: e.Mode, Hash: e.Hash}
			continue
		}
		sub, err := repo.TreeObject(e.Hash)
		if err != nil {
			return fmt.Errorf("flatten tree %s: %w", path, err)
		}
		if err := FlattenTree(repo, sub, path, entries); err != nil {
			return err
		}
	}
	return nil
}
