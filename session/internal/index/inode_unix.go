//go:build linux || darwin

package index

import (
	"io/fs"
	"syscall"

	"entire/internal/retention"
)

// DiskFileOf returns the size, the inode and the number of names of a file.
func DiskFileOf(info fs.FileInfo) DiskFile {
	f := DiskFile{File: retention.File{Bytes: info.Size()}, Links: 1}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		f.Device, f.Inode, f.Links = uint64(st.Dev), uint64(st.Ino), int64(st.Nlink)
	}
	return f
}
