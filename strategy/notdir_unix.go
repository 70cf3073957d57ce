//go:build unix

package strategy

import (
	"errors"
	"syscall"
)

// isNotDir is how the system says that a parent of the path is a file now.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
