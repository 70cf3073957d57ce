//go:build !unix

package strategy

// isNotDir is "path not found" on other systems, which is fs.ErrNotExist.
func isNotDir(error) bool { return false }

// isNoName is no error of its own on other systems.
func isNoName(error) bool { return false }
