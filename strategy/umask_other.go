//go:build !unix

package strategy

import "io/fs"

// umaskOf reports an unknown umask, because git does not set permissions on this system.
func (s *ManualCommitStrategy) umaskOf() (fs.FileMode, bool) { return 0, false }
