//go:build unix

package process

import (
	"os"
	"syscall"
)

// OwnedByUs applies git's safe.directory rule to the repositories that are found without
// git; git decides about every other owner.
func OwnedByUs(fi os.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
