//go:build !linux && !darwin

package layout

import (
	"os"
	"path/filepath"
)

// noFollow has no effect on this system: OpenFile looks before it opens.
const noFollow = 0

// StampAt returns the stamp of a file in an open directory and does not follow a link. This
// system has no inodes and change times.
func StampAt(dir *os.File, name string) (Stamp, error) {
	return StampOf(filepath.Join(dir.Name(), name))
}

// StampOf is StampAt for a path, which may be that of a folder.
func StampOf(path string) (Stamp, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Stamp{}, err
	}
	return Stamp{
		Size:    info.Size(),
		Mtime:   info.ModTime().UnixNano(),
		Regular: info.Mode().IsRegular(),
	}, nil
}

// ReadAt returns the content of a file in an open directory; ErrNotFound if the file is gone.
func ReadAt(dir *os.File, name string, _ int64) ([]byte, error) {
	return ReadRegular(filepath.Join(dir.Name(), name))
}
