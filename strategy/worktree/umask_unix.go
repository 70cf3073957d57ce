//go:build unix

package worktree

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"entire/strategy/sessionstate"
)

// UmaskOf returns the permissions that new files do not get: from Linux's /proc, elsewhere from
// the mode of git's HEAD file. It returns false if neither can be read.
func UmaskOf(s *sessionstate.Env) (fs.FileMode, bool) {
	if s.Umask != nil {
		return *s.Umask, true
	}
	mask, known := fs.FileMode(0), false
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		mask, known = umaskIn(status)
	} else if fi, err := os.Stat(filepath.Join(s.Repo.GitDir, "HEAD")); err == nil {
		mask, known = 0o666&^fi.Mode().Perm(), true
	}
	if known {
		s.Umask = &mask
	}
	return mask, known
}

func umaskIn(status []byte) (fs.FileMode, bool) {
	_, rest, ok := bytes.Cut(status, []byte("\nUmask:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 8, 12)
	return fs.FileMode(n), ok && err == nil
}
