//go:build unix

package testrepo

import "syscall"

// Tests look at the modes of files. They are those of most people, whatever the umask of the person who runs the tests.
var _ = syscall.Umask(0o022)
