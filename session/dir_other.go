//go:build !linux && !darwin

package session

import (
	"os"
	"path/filepath"
)

// noFollow has no effect on this system: openFile looks before it opens.
const noFollow = 0

// stampAt returns the stamp of a file in an open directory and does not follow a link. This
// system has no inodes and change times.
func stampAt(dir *os.File, name string) (stamp, error) {
	info, err := os.Lstat(filepath.Join(dir.Name(), name))
	if err != nil {
		return stamp{}, err
	}
	return stamp{
		size:    info.Size(),
		mtime:   info.ModTime().UnixNano(),
		regular: info.Mode().IsRegular(),
	}, nil
}

// readAt returns the content of a file in an open directory; ErrNotFound if the file is gone.
func readAt(dir *os.File, name string, _ int64) ([]byte, error) {
	return readRegular(filepath.Join(dir.Name(), name))
}
