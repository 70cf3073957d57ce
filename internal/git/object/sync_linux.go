package object

import (
	"os"

	"golang.org/x/sys/unix"
)

// CheapFlush is true: files can be written back one by one and made durable together.
const CheapFlush = true

// StartWriteback writes a file's content to the disk, but not the metadata needed to find
// it after a crash; flush writes that for all files.
func StartWriteback(f *os.File) error {
	// Not every file system supports it; flush waits for the data in any case.
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
	return nil
}

// Flush makes every file durable for which StartWriteback was called: an fsync of one of
// them commits all of them (like git's core.fsyncMethod=batch).
func Flush(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// Freshen sets a file's time to now, so that prune keeps it.
func Freshen(path string) error {
	ts := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, ts, 0)
}
