package testrepo

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Copy returns a copy of r, with a home of its own. The git directory must be in the worktree.
func (r *Repo) Copy(t testing.TB) *Repo {
	t.Helper()
	home := NewHome(t)
	c := &Repo{Dir: filepath.Join(tempDir(t), filepath.Base(r.Dir)), Home: home, Env: Environ(home), t: t}
	if err := CopyTree(r.Dir, c.Dir); err != nil {
		t.Fatalf("testrepo: %v", err)
	}
	return c
}

// CopyTree copies files, modes, times and symbolic links.
func CopyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		fi, err := entry.Info()
		if err != nil {
			return err
		}
		dest := filepath.Join(to, rel)
		switch {
		case entry.IsDir():
			return os.MkdirAll(dest, fi.Mode().Perm())
		case fi.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(target, dest)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(dest, data, fi.Mode().Perm()); err != nil {
			return err
		}
		return os.Chtimes(dest, fi.ModTime(), fi.ModTime())
	})
}
