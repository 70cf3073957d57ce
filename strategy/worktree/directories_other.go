//go:build !linux

package worktree

import "os"

// isEmpty reports whether an open folder holds nothing.
func isEmpty(f *os.File) bool {
	names, err := f.Readdirnames(1)
	return len(names) == 0 && err != nil
}
