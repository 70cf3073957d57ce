//go:build unix

package git

import (
	"io/fs"
	"syscall"
)

// SameDevice reports that two files may be renamed into each other's folders, as
// far as one can see.
func SameDevice(a, b fs.FileInfo) bool {
	x, ok := a.Sys().(*syscall.Stat_t)
	y, ok2 := b.Sys().(*syscall.Stat_t)
	return ok && ok2 && x.Dev == y.Dev
}
