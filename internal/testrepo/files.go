package testrepo

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Path returns the absolute path of the slash-separated path in the worktree.
func (r *Repo) Path(path string) string { return filepath.Join(r.Dir, filepath.FromSlash(path)) }

// Write writes a file of the worktree and creates its directories. An existing file keeps its mode.
func (r *Repo) Write(path, content string) {
	r.t.Helper()
	full := r.Path(path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Read returns the content of a file of the worktree.
func (r *Repo) Read(path string) string {
	r.t.Helper()
	data, err := os.ReadFile(r.Path(path))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}

// Exists reports whether there is a file at path, including a dangling link.
func (r *Repo) Exists(path string) bool {
	_, err := os.Lstat(r.Path(path))
	return err == nil
}

// Remove removes a file or a whole directory of the worktree.
func (r *Repo) Remove(path string) {
	r.t.Helper()
	if err := os.RemoveAll(r.Path(path)); err != nil {
		r.t.Fatal(err)
	}
}

// Symlink makes path a link to target.
func (r *Repo) Symlink(target, path string) {
	r.t.Helper()
	full := r.Path(path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Symlink(target, full); err != nil {
		r.t.Fatal(err)
	}
}

// Chmod sets the permission bits of path.
func (r *Repo) Chmod(path string, mode fs.FileMode) {
	r.t.Helper()
	if err := os.Chmod(r.Path(path), mode); err != nil {
		r.t.Fatal(err)
	}
}

// File is one path in a Snapshot.
type File struct {
	Mode    fs.FileMode
	Content string    // the target of a link; empty for a directory
	ModTime time.Time // zero for a directory
}

// Tree is a worktree's content by slash-separated path.
type Tree map[string]File

// Contents returns the tree's files and links without mode and time.
func (tree Tree) Contents() map[string]string {
	contents := make(map[string]string)
	for path, file := range tree {
		if !file.Mode.IsDir() {
			contents[path] = file.Content
		}
	}
	return contents
}

// Snapshot returns everything in the worktree, including directories and ignored files, except the
// worktree's own .git and the paths in skip.
func (r *Repo) Snapshot(skip ...string) Tree {
	r.t.Helper()
	skipped := map[string]bool{".git": true}
	for _, path := range skip {
		skipped[strings.TrimSuffix(path, "/")] = true
	}
	tree := make(Tree)
	err := filepath.WalkDir(r.Dir, func(full string, entry fs.DirEntry, err error) error {
		if err != nil || full == r.Dir {
			return err
		}
		rel, err := filepath.Rel(r.Dir, full)
		if err != nil {
			return err
		}
		if skipped[filepath.ToSlash(rel)] {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		tree[filepath.ToSlash(rel)], err = readFile(full)
		return err
	})
	if err != nil {
		r.t.Fatalf("snapshot: %v", err)
	}
	return tree
}

func readFile(path string) (File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return File{}, err
	}
	file := File{Mode: info.Mode()}
	switch {
	case info.IsDir():
		return file, nil
	case info.Mode()&fs.ModeSymlink != 0:
		file.Content, err = os.Readlink(path)
	case info.Mode().IsRegular():
		var data []byte
		data, err = os.ReadFile(path)
		file.Content = string(data)
	}
	file.ModTime = info.ModTime()
	return file, err
}

// Same reports the paths whose contents differ from the wanted ones.
func Same(t testing.TB, got, want map[string]string) {
	t.Helper()
	for p, content := range want {
		if got[p] != content {
			t.Errorf("%q holds %q, want %q", p, got[p], content)
		}
	}
	for p := range got {
		if _, wanted := want[p]; !wanted {
			t.Errorf("%q was not asked for", p)
		}
	}
}
