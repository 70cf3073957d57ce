//go:build !linux

package tui

import "time"

// onThread returns 0: only Linux is asked for a thread's processor time.
func onThread() time.Duration { return 0 }
