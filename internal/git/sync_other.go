//go:build !linux

package git

import (
	"os"
	"time"
)

// cheapFlush is false: git makes durable what it writes.
const cheapFlush = false

// startWriteback makes a file's content durable; only Linux has a cheaper way.
func startWriteback(f *os.File) error { return f.Sync() }

func flush(string) error { return nil }

// freshen sets a file's time to now, so that prune keeps it.
func freshen(path string) error {
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
