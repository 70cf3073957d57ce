//go:build unix

package strategy

import (
	"errors"
	"syscall"
)

// isNotDir reports whether err says that a parent of the path is now a file, or a link to nothing.
func isNotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// isNoName reports whether err says that this file system cannot have such a name.
func isNoName(err error) bool {
	return errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EILSEQ)
}
