//go:build unix

package storebench

import (
	"syscall"
	"time"
)

// cpuTime is what this process has used, which other processes do not change
// much.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
