package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrThroughLink is returned, wrapped with the path, by [Worktree] methods when
// a folder on the way to the path is a symbolic link.
var ErrThroughLink = errors.New("leads through a symbolic link")

// errInTheWay: a file stands where a folder of the path has to be.
var errInTheWay = errors.New("a file is in the way")

// Worktree reads, places and removes files below the top of a worktree. Every
// folder on the way is opened from its parent and compared with what stood
// there, so that no symbolic link, not even one planted meanwhile, leads a
// write elsewhere; `.git` in any spelling is refused. Paths are those of git:
// relative to the top, with forward slashes. One that cannot exist on this
// system is an error of that path alone.
type Worktree struct{ root *os.Root }

// OpenWorktree opens the worktree. It must be closed.
func (r *Repo) OpenWorktree() (*Worktree, error) {
	if r.Top == "" {
		return nil, errors.New("open worktree: a bare repository has none")
	}
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return nil, fmt.Errorf("open worktree: %w", err)
	}
	return &Worktree{root: root}, nil
}

// Close releases the worktree.
func (w *Worktree) Close() error { return w.root.Close() }

// Lstat describes what is at path, without following a link there. The error
// is fs.ErrNotExist also where a folder on the way is missing or is a file.
func (w *Worktree) Lstat(path string) (fs.FileInfo, error) {
	way, err := w.walk(path, false)
	if err != nil {
		return nil, at("look at", path, missing(err))
	}
	defer way.close()
	fi, err := way.dir().Lstat(way.base)
	return fi, at("look at", path, err)
}

// Read returns the content of the file at path, or the target of the link
// there, and the mode git would give it.
func (w *Worktree) Read(path string) ([]byte, uint32, error) {
	f, mode, err := w.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return data, mode, at("read", path, err)
}

// Open is Read as a stream. Anything but a regular file or a link is an error.
func (w *Worktree) Open(path string) (io.ReadCloser, uint32, error) {
	way, err := w.walk(path, false)
	if err != nil {
		return nil, 0, at("open", path, missing(err))
	}
	defer way.close()
	f, mode, err := openEntry(way.dir(), way.base)
	return f, mode, at("open", path, err)
}

func openEntry(dir *os.Root, base string) (io.ReadCloser, uint32, error) {
	fi, err := dir.Lstat(base)
	if err != nil {
		return nil, 0, err
	}
	mode := fileMode(fi)
	switch mode {
	case ModeSymlink:
		target, err := dir.Readlink(base)
		return io.NopCloser(bytes.NewReader([]byte(target))), mode, err
	case 0:
		return nil, 0, fmt.Errorf("is %s, not a file", kindOf(fi))
	}
	f, err := dir.OpenFile(base, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, 0, err
	}
	now, err := f.Stat()
	if err == nil && !os.SameFile(fi, now) {
		err = errors.New("changed while it was opened")
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, mode, nil
}

// fileMode is the mode git gives to what fi describes; 0 for what git does not
// store.
func fileMode(fi fs.FileInfo) uint32 {
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		return ModeSymlink
	case !fi.Mode().IsRegular():
		return 0
	case fi.Mode()&0o111 != 0:
		return ModeExec
	}
	return ModeFile
}

func kindOf(fi fs.FileInfo) string {
	if fi.IsDir() {
		return "a folder"
	}
	return "a special file"
}

// way is a walk from the top to the folder that holds base.
type way struct {
	dirs  []*os.Root // dirs[0] is the worktree's own, not ours to close
	names []string   // of dirs[1:]
	base  string
}

func (w *way) dir() *os.Root { return w.dirs[len(w.dirs)-1] }

func (w *way) close() {
	for _, d := range w.dirs[1:] {
		d.Close()
	}
}

// walk opens the folders on the way to path one by one, making those that are
// missing when create is set.
func (w *Worktree) walk(path string, create bool) (*way, error) {
	if err := ValidPath(path); err != nil {
		return nil, err
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, errors.New("is not possible on this system")
	}
	names := strings.Split(path, "/")
	last := len(names) - 1
	wy := &way{dirs: []*os.Root{w.root}, names: names[:last], base: names[last]}
	for _, name := range wy.names {
		next, err := enter(wy.dir(), name, create)
		if err != nil {
			wy.close()
			return nil, err
		}
		wy.dirs = append(wy.dirs, next)
	}
	return wy, nil
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
		return nil, errInTheWay
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(fi, now) {
		next.Close()
		return nil, ErrThroughLink
	}
	return next, nil
}

// missing takes a file in place of a folder for absence: nothing can be below.
func missing(err error) error {
	if errors.Is(err, errInTheWay) {
		return fs.ErrNotExist
	}
	return err
}

// at names the operation and path, once.
func at(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var pe *fs.PathError
	var le *os.LinkError
	var se *os.SyscallError
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	case errors.As(err, &se):
		err = se.Err
	}
	return fmt.Errorf("%s %q: %w", op, clip(path), err)
}
