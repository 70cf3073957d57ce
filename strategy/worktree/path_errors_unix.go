//go:build unix

package worktree

import (
	"errors"
	"syscall"
)

// IsNotDir reports whether err says that a parent of the path is now a file, or a link to nothing.
func IsNotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// IsImpossibleName reports whether err says that this file system cannot have such a name.
func IsImpossibleName(err error) bool {
	return errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EILSEQ)
}
