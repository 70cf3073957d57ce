//go:build !linux

package object

import (
	"os"
	"time"
)

// CheapFlush is false: git makes durable what it writes.
const CheapFlush = false

// StartWriteback makes a file's content durable; only Linux has a cheaper way.
func StartWriteback(f *os.File) error { return f.Sync() }

func Flush(string) error { return nil }

// Freshen sets a file's time to now, so that prune keeps it.
func Freshen(path string) error {
	f, err := os.CreateTemp("", "entire-now-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	fi, err := f.Stat() // the file system's own clock
	if err != nil {
		return err
	}
	return os.Chtimes(path, time.Time{}, fi.ModTime())
}
