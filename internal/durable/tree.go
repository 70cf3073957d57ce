package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var (
	// ErrThroughLink: a folder on the way to a path is a symbolic link.
	ErrThroughLink = errors.New("leads through a symbolic link")
	// ErrInTheWay: a file stands where a folder of a path has to be.
	ErrInTheWay = errors.New("a file is in the way")
)

// Tree is a folder of somebody else's, below which files are read and placed.
// Every folder on the way to one is opened from its parent and compared with
// what stood there, so that no symbolic link, not even one planted meanwhile,
// leads elsewhere. Paths are relative, with slashes, and those of [CheckPath].
type Tree struct{ root *os.Root }

// OpenTree opens the folder at dir, which may be a link itself.
func OpenTree(dir string) (*Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Tree{root}, nil
}

// Close releases the folder.
func (t *Tree) Close() error { return t.root.Close() }

// Way is the way from the top to the folder that holds Base.
type Way struct {
	Dirs  []*os.Root // the folders that are open; the first is the top
	Names []string   // of the folders below the top; all open: one fewer than Dirs
	Base  string
}

// Dir is the last folder that is open.
func (w *Way) Dir() *os.Root { return w.Dirs[len(w.Dirs)-1] }

// Close releases the folders.
func (w *Way) Close() {
	for _, d := range w.Dirs[1:] {
		d.Close()
	}
}

// Walk opens the folders on the way to path one by one, making those that are
// missing when create is set.
func (t *Tree) Walk(path string, create bool) (*Way, error) {
	way, err := t.reach(path, create)
	if err != nil && way != nil {
		way.Close()
		way = nil
	}
	return way, err
}

// Reach is Walk as far as there are folders. The way ends where the error says
// that there is none (fs.ErrNotExist), or none to go through; it is nil for
// what is no path.
func (t *Tree) Reach(path string) (*Way, error) { return t.reach(path, false) }

func (t *Tree) reach(path string, create bool) (*Way, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, errors.New("is not possible on this system")
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

// enter opens the folder name of dir and makes sure that what it opened is what
// it looked at.
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

// OpenRegular opens the regular file base of dir for reading if it is the one
// that fi describes: no link is followed and no pipe waited for.
func OpenRegular(dir *os.Root, base string, fi fs.FileInfo) (*os.File, error) {
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

// CheckPath refuses what must never be a path of ours: empty, `.` and `..`, a
// NUL, and `.git` in any spelling that a file system takes for it.
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

// isDotGit reports names that HFS+ or NTFS fold to `.git`.
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

// RenameNew renames the absolute path from to base of the open folder dir, where
// nothing must be: fs.ErrExist otherwise. Only where the system has no such call
// is there a moment between the look and the rename.
func RenameNew(from string, dir *os.Root, base string) error {
	unsupported, err := renameNew(from, dir, base)
	if !unsupported {
		return err
	}
	if _, err := dir.Lstat(base); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return RenameInto(from, dir, base)
}
