//go:build !unix

package strategy

// isNotDir is "path not found" on other systems, which is fs.ErrNotExist.
func isNotDir(error) bool { return false }
