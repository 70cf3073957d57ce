//go:build unix

package strategy

import (
	"errors"
	"syscall"
)

// isNotDir is how the system says that a parent of the path is a file now, or a link
// that leads nowhere.
func isNotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// isNoName is how the system says that this file system can have no such name.
func isNoName(err error) bool {
	return errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EILSEQ)
}
