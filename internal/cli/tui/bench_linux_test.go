package tui

import (
	"time"

	"golang.org/x/sys/unix"
)

// onThread returns the processor time that this thread has used.
func onThread() time.Duration {
	var at unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at) != nil {
		return 0
	}
	return time.Duration(at.Nano())
}
