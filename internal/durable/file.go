package durable

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// tempMark stands in the names of temporary files. No file of anybody else's
// is expected to carry it; see sweep.
const tempMark = ".tmp-entire-"

// maxTempBase bounds the part of a temporary name taken from the target, so
// that a long file name does not make its temporary name too long.
const maxTempBase = 200

// WriteFile replaces the content of path by data, durably: when it returns
// nil the file survives a crash. Missing directories are created with mode
// 0750. On error the old file is untouched and the temporary file removed,
// except that after a failed fsync of the directory the new content is in
// place but not known to be durable. A symbolic link at path is replaced, not
// followed. Temporary files that killed writers left in the directory are
// removed once they are an hour old.
func WriteFile(path string, data []byte, perm os.FileMode) error {
	return replace(path, bytes.NewReader(data), perm, true)
}

// WriteCache is WriteFile without the fsyncs, for what can be rebuilt: readers
// never see a torn file while the machine is up, but after a crash of the
// machine the file may be old, empty or damaged.
func WriteCache(path string, data []byte, perm os.FileMode) error {
	return replace(path, bytes.NewReader(data), perm, false)
}

// WriteStream is WriteFile, or without sync WriteCache, of everything that r
// yields. An error of r is returned, and nothing is written then.
func WriteStream(path string, r io.Reader, perm os.FileMode, sync bool) error {
	return replace(path, r, perm, sync)
}

// WriteNew is WriteFile, of what r holds, where nothing must be at path: of several that
// write it at once one does, and for the others the error is fs.ErrExist.
func WriteNew(path string, r io.Reader, perm os.FileMode) error {
	return put(path, r, perm, true, func(temp string) error {
		dir, err := os.OpenRoot(filepath.Dir(path))
		if err != nil {
			return err
		}
		defer dir.Close()
		return RenameNew(temp, dir, filepath.Base(path))
	})
}

// Remove deletes the file at path, durably. A path that is absent is fine.
func Remove(path string) error {
	err := os.Remove(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return pathError("remove", path, err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return pathError("remove", path, err)
	}
	return nil
}

func replace(path string, data io.Reader, perm os.FileMode, sync bool) error {
	return put(path, data, perm, sync, func(temp string) error { return rename(temp, path) })
}

// put writes a file beside path, and has it placed there.
func put(path string, data io.Reader, perm os.FileMode, sync bool, place func(temp string) error) error {
	dir := filepath.Dir(path)
	if err := makeDir(dir, sync); err != nil {
		return pathError("write", path, err)
	}
	temp, born, err := writeTemp(path, data, perm, sync)
	if err != nil {
		return pathError("write", path, err)
	}
	if err := place(temp); err != nil {
		os.Remove(temp)
		return pathError("write", path, err)
	}
	if sync {
		if err := syncDir(dir); err != nil {
			return pathError("write", path, err)
		}
	}
	sweep(dir, born)
	return nil
}

// writeTemp writes data to a new file beside path and returns its name and
// the time the file system gave it.
func writeTemp(path string, data io.Reader, perm os.FileMode, sync bool) (name string, born time.Time, err error) {
	base := filepath.Base(path)
	if len(base) > maxTempBase {
		base = base[:maxTempBase]
	}
	f, err := os.CreateTemp(filepath.Dir(path), base+tempMark+"*")
	if err != nil {
		return "", time.Time{}, err
	}
	born, err = fill(f, data, perm, sync)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(f.Name())
		return "", time.Time{}, err
	}
	return f.Name(), born, nil
}

func fill(f *os.File, data io.Reader, perm os.FileMode, sync bool) (time.Time, error) {
	if _, err := io.Copy(f, data); err != nil {
		return time.Time{}, err
	}
	if err := f.Chmod(perm); err != nil && runtime.GOOS != "windows" {
		return time.Time{}, err
	}
	if sync {
		if err := f.Sync(); err != nil {
			return time.Time{}, err
		}
	}
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// rename moves temp over path. Windows refuses while a reader has path open,
// so there it is tried for about a fifth of a second.
func rename(temp, path string) error {
	err := os.Rename(temp, path)
	for wait := time.Millisecond; err != nil && runtime.GOOS == "windows" && wait < 200*time.Millisecond; wait *= 2 {
		time.Sleep(wait)
		err = os.Rename(temp, path)
	}
	return err
}

// pathError says what was done to which path and why it went wrong, in one
// line, whatever name the failing system call was given.
func pathError(op, path string, err error) error {
	return fmt.Errorf("%s %s: %w", op, printable(path), cause(err))
}
