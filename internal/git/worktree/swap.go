package worktree

import (
	"errors"
	"io/fs"

	"entire/internal/durable"
)

// The errors of [Worktree.Swap] and [Worktree.Take], which wrap them with the path.
var (
	ErrChanged     = durable.ErrChanged
	ErrFolderStays = durable.ErrFolderStays
)

// Occupied reports whether err means that a file, folder or link of somebody else is at
// the path, or at a folder above it.
func Occupied(err error) bool {
	return errors.Is(err, durable.ErrFolderInTheWay) || errors.Is(err, durable.ErrInTheWay) || errors.Is(err, ErrThroughLink)
}

// Swap is [durable.Tree.Swap] of absolute paths.
func (w *Worktree) Swap(path, from, aside string, expect func(fs.FileInfo) bool) error {
	return at("place", path, w.tree.Swap(path, durable.Place{Name: from}, durable.Place{Name: aside}, expect))
}

// Take is [durable.Tree.Take] to an absolute path.
func (w *Worktree) Take(path, aside string, stay int, expect func(fs.FileInfo) bool) error {
	return pruned("remove", path, w.tree.Take(path, durable.Place{Name: aside}, stay, expect))
}

// Prune is [durable.Tree.Prune].
func (w *Worktree) Prune(path string, stay int) error {
	return pruned("remove the folders above", path, w.tree.Prune(path, stay))
}

// pruned is at, except for an error that names the folder that stays.
func pruned(op, path string, err error) error {
	if errors.Is(err, ErrFolderStays) {
		return err
	}
	return at(op, path, err)
}

// Forget is [durable.Tree.Forget] of an absolute path.
func (w *Worktree) Forget(path, from string) error {
	return at("remove what was left beside", path, w.tree.Forget(path, durable.Place{Name: from}))
}

// MakeFolder is [durable.Tree.MakeFolder].
func (w *Worktree) MakeFolder(path string, mode fs.FileMode) error {
	return at("make folder", path, w.tree.MakeFolder(path, mode))
}

// MakeDurable is [durable.Tree.Sync].
func (w *Worktree) MakeDurable(paths []string) error { return w.tree.Sync(paths) }
