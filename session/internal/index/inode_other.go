//go:build !linux && !darwin

package index

import (
	"io/fs"

	"entire/internal/retention"
)

// DiskFileOf counts every name as a file of its own.
func DiskFileOf(info fs.FileInfo) DiskFile {
	return DiskFile{File: retention.File{Bytes: info.Size()}, Links: 1}
}
