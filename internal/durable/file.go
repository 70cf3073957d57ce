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

// tempMark is part of the names of temporary files. Files of other programs are not
// expected to contain it; see sweep.
const tempMark = ".tmp-entire-"

// maxTempBase bounds the part of a temporary name that comes from the target, so that the
// name of a temporary file is never too long.
const maxTempBase = 200

// WriteFile replaces the content of path with data, durably: when it returns nil, the file
// survives a crash. It creates missing directories with mode 0750. After an error the old
// file is unchanged and the temporary file removed, except after a failed fsync of the
// directory: then the new content is in place but perhaps not durable. It replaces a
// symbolic link at path and does not follow it. It removes temporary files that killed
// writers left in the directory at least an hour ago.
func WriteFile(path string, data []byte, perm os.FileMode) error {
	return replace(path, bytes.NewReader(data), perm, true)
}

// WriteUnswept is WriteFile for a directory with many files, whose names it does not read: it leaves temporary
// files to the caller; see RemoveLeftovers.
func WriteUnswept(path string, data []byte, perm os.FileMode) error {
	_, err := place(path, bytes.NewReader(data), perm, true, func(temp string) error { return rename(temp, path) })
	return err
}

// WriteCache is WriteFile without the fsyncs, for files that can be rebuilt: readers never
// see a torn file while the machine runs, but after a crash of the machine the file may be
// old, empty or damaged.
func WriteCache(path string, data []byte, perm os.FileMode) error {
	return replace(path, bytes.NewReader(data), perm, false)
}

// WriteStream is WriteFile, or without sync WriteCache, for the content of r. It returns
// an error of r, and then writes nothing.
func WriteStream(path string, r io.Reader, perm os.FileMode, sync bool) error {
	return replace(path, r, perm, sync)
}

// WriteNew is WriteFile for the content of r if nothing is at path: if several write it at
// once, one succeeds and the others get fs.ErrExist.
func WriteNew(path string, r io.Reader, perm os.FileMode) error {
	return put(path, r, perm, true, func(temp string) error {
		return RenameNew(Place{Name: temp}, Place{Name: path})
	})
}

// Remove deletes the file at path, durably. A missing file is no error.
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

// put writes a temporary file next to path, and calls a function to rename it.
// Then it removes old temporary files.
func put(path string, data io.Reader, perm os.FileMode, sync bool, move func(temp string) error) error {
	born, err := place(path, data, perm, sync, move)
	if err == nil {
		sweep(filepath.Dir(path), born)
	}
	return err
}

// place is put without that. It returns the time of the new file.
func place(path string, data io.Reader, perm os.FileMode, sync bool, move func(temp string) error) (time.Time, error) {
	dir := filepath.Dir(path)
	if err := makeDir(dir, sync); err != nil {
		return time.Time{}, pathError("write", path, err)
	}
	temp, born, err := writeTemp(path, data, perm, sync)
	if err != nil {
		return time.Time{}, pathError("write", path, err)
	}
	if err := move(temp); err != nil {
		os.Remove(temp)
		return time.Time{}, pathError("write", path, err)
	}
	if sync {
		if err := syncDir(dir); err != nil {
			return time.Time{}, pathError("write", path, err)
		}
	}
	return born, nil
}

// writeTemp writes data to a new file next to path and returns its name and its time.
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

// rename renames temp to path. Windows refuses while a reader has path open, so there it
// tries again for about a second.
func rename(temp, path string) error {
	return here().patiently(func() error { return os.Rename(temp, path) })
}

// pathError describes on one line what failed for which path and why, without the path of
// the system call.
func pathError(op, path string, err error) error {
	return fmt.Errorf("%s %s: %w", op, printable(path), cause(err))
}
