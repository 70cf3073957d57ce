//go:build !unix

package storebench

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
