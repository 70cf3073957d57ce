//go:build !unix

package strategy

import "io/fs"

// umaskOf is not known where permissions are not git's.
func (s *ManualCommitStrategy) umaskOf() (fs.FileMode, bool) { return 0, false }
