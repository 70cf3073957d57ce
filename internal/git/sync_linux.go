package git

import (
	"os"

	"golang.org/x/sys/unix"
)

// cheapFlush: files can be written back one by one and made durable together.
const cheapFlush = true

// startWriteback brings a file's content to the disk, without what is needed to
// find it there after a crash; flush does that for all.
func startWriteback(f *os.File) error {
	// Not every file system has it; flush waits for the data in any case.
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
	return nil
}

// flush makes every file durable that startWriteback was called for: one fsync
// of one of them commits them all (what git's core.fsyncMethod=batch does).
func flush(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// freshen sets a file's time to now, so that prune takes it for new.
func freshen(path string) error {
	ts := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, ts, 0)
}
