//go:build linux || darwin

package session

import (
	"io/fs"
	"syscall"

	"entire/internal/retention"
)

func usedBy(info fs.FileInfo) usedFile {
	f := usedFile{File: retention.File{Bytes: info.Size()}, links: 1}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		f.Device, f.Inode, f.links = uint64(st.Dev), uint64(st.Ino), int64(st.Nlink)
	}
	return f
}
