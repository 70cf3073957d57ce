package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// leftoverAge is the age from which a temporary file's writer has certainly ended.
const leftoverAge = time.Hour

// makeDir creates dir and its missing parents with mode 0750. With sync, the new names are
// durable, too, because a file in a directory without a name is lost.
func makeDir(dir string, sync bool) error {
	info, err := os.Stat(dir)
	if err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return err
	}
	if err := makeDir(parent, sync); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if sync {
		return syncDir(parent)
	}
	return nil
}

// SyncDir makes the names in dir durable, after a rename or a link there.
func SyncDir(dir string) error {
	if err := syncDir(dir); err != nil {
		return pathError("sync", dir, err)
	}
	return nil
}

// syncDir makes the names in dir durable. Windows has no such call, and some
// file systems refuse it; neither is an error.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return syncNames(d)
}

func syncNames(d *os.File) error {
	err := d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// Clock returns the time that the file system of dir gives to a new file, for comparison
// with the times of other files there. It creates dir if needed.
func Clock(dir string) (time.Time, error) {
	if err := makeDir(dir, false); err != nil {
		return time.Time{}, pathError("read the clock of", dir, err)
	}
	f, err := os.CreateTemp(dir, "clock"+tempMark+"*")
	if err != nil {
		return time.Time{}, pathError("read the clock of", dir, err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, pathError("read the clock of", dir, err)
	}
	return info.ModTime(), nil
}

// sweep removes temporary files in dir that are at least an hour older than now, a time
// from the same file system. It ignores errors.
func sweep(dir string, now time.Time) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	removeOld(dir, slices.DeleteFunc(names, func(name string) bool { return !IsTemp(name) }), now)
}

// RemoveLeftovers removes those of the temporary files with these names in dir that killed writers left at least an
// hour ago. It ignores errors.
func RemoveLeftovers(dir string, names []string) {
	if len(names) == 0 {
		return
	}
	if now, err := Clock(dir); err == nil {
		removeOld(dir, names, now)
	}
}

func removeOld(dir string, names []string, now time.Time) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) >= leftoverAge {
			os.Remove(path)
		}
	}
}

// IsTemp reports whether a name is that of a temporary file of this package.
func IsTemp(name string) bool {
	i := strings.LastIndex(name, tempMark)
	if i < 0 {
		return false
	}
	digits := name[i+len(tempMark):]
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// cause removes the path that a system call was given, because the caller adds the path
// that the user knows.
func cause(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}

// printable returns path, quoted if it does not fit on one line.
func printable(path string) string {
	if strings.IndexFunc(path, func(r rune) bool { return !strconv.IsPrint(r) }) >= 0 {
		return strconv.Quote(path)
	}
	return path
}
