//go:build unix

package share_test

import (
	"syscall"
	"testing"
	"time"
)

// processorTime returns what this process and those that it waited for have used.
func processorTime(t *testing.T) (used time.Duration) {
	t.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			t.Fatal(err)
		}
		used += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return used
}
