//go:build unix

package worktree

import (
	"io/fs"
	"syscall"
)

// inode returns the inode number and change time, which tell a replaced file from the old one.
func inode(fi fs.FileInfo) (ino uint64, ctime int64) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return st.Ino, changeTime(st)
}
