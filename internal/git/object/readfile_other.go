//go:build !unix

package object

import (
	"io"
	"os"
)

// readBounded reads a file of at most limit bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	fi, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if fi.Size() > limit {
		return nil, errNotNative
	}
	data := make([]byte, fi.Size())
	_, err = io.ReadFull(file, data)
	return data, err
}
