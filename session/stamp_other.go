//go:build !linux && !darwin

package session

import (
	"os"
	"path/filepath"
)

// stampAt returns the stamp of a file in an open directory, not following a
// link. There are no inodes and change times here.
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
