package histories

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A File is what is at a path. Its mode is "644", "755", "link" or "pipe", and "" for nothing.
type File struct{ Mode, Text string }

// IsText reports a regular file.
func (f File) IsText() bool { return f.Mode == "644" || f.Mode == "755" }

// A Tree has files by path.
type Tree map[string]File

// Stamped is a file with its time.
type Stamped struct {
	File
	Time int64
}

// Read returns every file below a folder, ignored ones too, except what is in those at its top that skip names.
func Read(top string, skip ...string) map[string]Stamped {
	out := map[string]Stamped{}
	Check("read", filepath.WalkDir(top, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == top {
			return err
		}
		path, _ := filepath.Rel(top, full)
		switch {
		case slices.Contains(skip, path) && d.IsDir():
			return fs.SkipDir
		case slices.Contains(skip, path) || d.IsDir():
			return nil
		}
		out[path], err = readFile(full)
		return err
	}))
	return out
}

func readFile(full string) (Stamped, error) {
	info, err := os.Lstat(full)
	if err != nil {
		return Stamped{}, err
	}
	at := info.ModTime().UnixNano()
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(full)
		return Stamped{File{"link", target}, at}, err
	case !info.Mode().IsRegular():
		return Stamped{File{"pipe", ""}, at}, nil
	}
	data, err := os.ReadFile(full)
	mode := "644"
	if info.Mode()&0o100 != 0 {
		mode = "755"
	}
	return Stamped{File{mode, string(data)}, at}, err
}

// Bare drops the times.
func Bare(files map[string]Stamped) Tree {
	out := Tree{}
	for p, f := range files {
		out[p] = f.File
	}
	return out
}

// Put makes a path below a folder hold f. It removes what is in the way, as a shell does with rm -r and mkdir -p, and
// writes nothing through a link.
func Put(top, path string, f File) {
	full := filepath.Join(top, path)
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		above := filepath.Join(top, dir)
		if fi, err := os.Lstat(above); err == nil && !fi.IsDir() {
			if f.Mode == "" {
				return
			}
			Check("write", os.Remove(above))
		}
	}
	err := os.RemoveAll(full)
	if err == nil && f.Mode != "" {
		err = os.MkdirAll(filepath.Dir(full), 0o755)
	}
	if err == nil {
		switch f.Mode {
		case "":
		case "link":
			err = os.Symlink(f.Text, full)
		case "pipe":
			err = mkfifo(full)
		case "755":
			err = os.WriteFile(full, []byte(f.Text), 0o755)
		default:
			err = os.WriteFile(full, []byte(f.Text), 0o644)
		}
	}
	Check("write", err)
}

// reachable reports anything at all at a path below a folder, without following links on the way.
func reachable(top, path string) bool {
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if fi, err := os.Lstat(filepath.Join(top, dir)); err != nil || !fi.IsDir() {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(top, path))
	return !errors.Is(err, fs.ErrNotExist)
}

// Changed returns the paths at which two trees differ, sorted.
func Changed(a, b Tree) []string {
	out := map[string]bool{}
	for p, f := range a {
		if b[p] != f {
			out[p] = true
		}
	}
	for p, f := range b {
		if a[p] != f {
			out[p] = true
		}
	}
	return Sorted(out)
}

// Sorted returns the keys of a map in order.
func Sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// Below reports a path in a folder.
func Below(path, dir string) bool { return strings.HasPrefix(path, dir+"/") }
