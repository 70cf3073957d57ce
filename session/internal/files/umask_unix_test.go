//go:build unix

package files

import "syscall"

// The tests look at the modes of files, whatever the umask of the person who runs them.
func init() { syscall.Umask(0o022) }
