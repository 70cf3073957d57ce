//go:build unix

package worktree

import (
	"io/fs"
	"syscall"
)

// SameDevice reports whether two files are on the same file system, so that each may be
// renamed into the other's folder.
func SameDevice(a, b fs.FileInfo) bool {
	x, ok := a.Sys().(*syscall.Stat_t)
	y, ok2 := b.Sys().(*syscall.Stat_t)
	return ok && ok2 && x.Dev == y.Dev
}
