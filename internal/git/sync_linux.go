package git

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// startWriteback hands a file's pages to the disk without waiting.
func startWriteback(f *os.File) error {
	// Not every file system has it; flush waits for the data in any case.
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
	return nil
}

// flush makes temps durable: their data was written by startWriteback, so that
// one fsync of a file in the same file system commits them all (what git's
// core.fsyncMethod=batch does).
func flush(dir string, temps []string) error {
	f, err := os.Open(temps[len(temps)-1])
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// freshen sets a file's time to now, so that prune takes it for new.
func freshen(path string) error {
	ts := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	return unix.UtimesNanoAt(unix.AT_FDCWD, filepath.Clean(path), ts, 0)
}
