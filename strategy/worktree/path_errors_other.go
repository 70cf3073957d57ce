//go:build !unix

package worktree

// IsNotDir returns false: other systems report a missing path instead, which is fs.ErrNotExist.
func IsNotDir(error) bool { return false }

// IsImpossibleName returns false: other systems have no such error.
func IsImpossibleName(error) bool { return false }
