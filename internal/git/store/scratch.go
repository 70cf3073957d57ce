package store

import (
	"os"
	"path/filepath"
	"time"
)

// scratchAge is the age from which a scratch folder belongs to a process that was killed.
const scratchAge = time.Hour

// Scratch creates a private folder in the git directory for one operation, and removes the
// folders that killed processes left there.
func (r *Repo) Scratch(kind string) (dir string, done func(), err error) {
	base := filepath.Join(r.GitDir, "entire", "tmp")
	if err := os.MkdirAll(base, 0o750); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(base, kind+"-"); err != nil {
		return "", nil, err
	}
	if fi, err := os.Stat(dir); err == nil {
		sweep(base, fi.ModTime().Add(-scratchAge))
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

func sweep(base string, before time.Time) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		if fi, err := e.Info(); err == nil && fi.ModTime().Before(before) {
			_ = os.RemoveAll(filepath.Join(base, e.Name()))
		}
	}
}
