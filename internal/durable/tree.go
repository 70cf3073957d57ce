package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

var (
	// ErrThroughLink is returned if a folder above a path is a symbolic link.
	ErrThroughLink = errors.New("leads through a symbolic link")
	// ErrInTheWay is returned if a file is in place of a folder above a path.
	ErrInTheWay = errors.New("a file is in the way")
)

// Tree is a folder of somebody else, below which files are read and placed. It opens every
// folder above a file from its parent and compares it with what it saw there before, so
// that no symbolic link, even one added in between, leads elsewhere. Paths are relative,
// with slashes, and valid for [CheckPath].
type Tree struct{ root *os.Root }

// OpenTree opens the folder at dir, which may be a link itself.
func OpenTree(dir string) (*Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Tree{root}, nil
}

// Close closes the folder.
func (t *Tree) Close() error { return t.root.Close() }

// Way is the chain of open folders from the top to the folder that holds Base.
type Way struct {
	Dirs  []*os.Root // the open folders; the first is the top
	Names []string   // the names of the folders below the top; if all are open, there is one fewer than Dirs
	Base  string
}

// Dir returns the last open folder.
func (w *Way) Dir() *os.Root { return w.Dirs[len(w.Dirs)-1] }

// Place returns the place of Base in its folder.
func (w *Way) Place() Place { return Place{w.Dir(), w.Base} }

// Close closes the folders.
func (w *Way) Close() {
	for _, d := range w.Dirs[1:] {
		d.Close()
	}
}

// Walk opens the folders above path one by one, and creates missing ones if create is set.
func (t *Tree) Walk(path string, create bool) (*Way, error) {
	way, err := t.reach(path, create)
	if err != nil && way != nil {
		way.Close()
		way = nil
	}
	return way, err
}

// Reach is Walk as far as there are folders. If one is missing (fs.ErrNotExist) or cannot
// be entered, it returns the open folders together with the error. For an invalid path the
// Way is nil.
func (t *Tree) Reach(path string) (*Way, error) { return t.reach(path, false) }

func (t *Tree) reach(path string, create bool) (*Way, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	if err := PossiblePath(path); err != nil {
		return nil, err
	}
	names := strings.Split(path, "/")
	last := len(names) - 1
	way := &Way{Dirs: []*os.Root{t.root}, Names: names[:last], Base: names[last]}
	for _, name := range way.Names {
		next, err := enter(way.Dir(), name, create)
		if err != nil {
			return way, err
		}
		way.Dirs = append(way.Dirs, next)
	}
	return way, nil
}

// enter opens the folder name of dir and checks that it opened the folder that it saw
// before.
func enter(dir *os.Root, name string, create bool) (*os.Root, error) {
	fi, err := dir.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := dir.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		fi, err = dir.Lstat(name)
	}
	switch {
	case err != nil:
		return nil, err
	case fi.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0:
		return nil, ErrThroughLink
	case !fi.IsDir():
		return nil, ErrInTheWay
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	now, err := next.Stat(".")
	if err == nil && !os.SameFile(fi, now) {
		err = ErrThroughLink
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// openRegular opens the regular file base of dir for reading if it is the one that fi
// describes. It follows no link and waits for no pipe.
func openRegular(dir *os.Root, base string, fi fs.FileInfo) (*os.File, error) {
	f, err := dir.OpenFile(base, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	now, err := f.Stat()
	if err == nil && !os.SameFile(fi, now) {
		err = errors.New("changed while it was opened")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// CheckPath returns an error for an unsafe path: one with empty, `.` or `..` components, a
// NUL, or `.git` in any spelling that a file system treats as equal.
func CheckPath(path string) error {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return fmt.Errorf("path %q is empty or holds a NUL", clip(path))
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." || slices.ContainsFunc(strings.Split(name, `\`), isDotGit) {
			return fmt.Errorf("path %q: component %q is not allowed", clip(path), clip(name))
		}
	}
	return nil
}

// isDotGit reports whether HFS+ or NTFS treats a name as `.git`.
func isDotGit(name string) bool {
	plain := strings.Map(func(r rune) rune {
		if r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff {
			return -1
		}
		return r
	}, name)
	if i := strings.IndexByte(plain, ':'); i >= 0 {
		plain = plain[:i]
	}
	plain = strings.ToLower(strings.TrimRight(plain, ". "))
	return plain == ".git" || plain == "git~1"
}

func clip(s string) string {
	if len(s) > 70 {
		return s[:70] + "…"
	}
	return s
}
