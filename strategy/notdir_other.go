//go:build !unix

package strategy

// isNotDir returns false: other systems report a missing path instead, which is fs.ErrNotExist.
func isNotDir(error) bool { return false }

// isNoName returns false: other systems have no such error.
func isNoName(error) bool { return false }
