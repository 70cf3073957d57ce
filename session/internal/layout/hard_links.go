package layout

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Where the files of a session's checkpoints lie. Each file is replaced as a whole, so a second
// name keeps its content.
const (
	CheckpointsName = "checkpoints"
	BlobsName       = "blobs"
)

// WholeFile means all bytes of a file.
const WholeFile = math.MaxInt64

// ShareFile gives a file a second name. If the file system has no hard links, it copies the
// first bytes.
func ShareFile(from, to string, bytes int64) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &fs.PathError{Op: "share", Path: from, Err: errors.New("not a regular file")}
	}
	if os.Link(from, to) == nil {
		return nil
	}
	return CopyFile(from, to, bytes)
}

// CopyFile copies the first bytes of a file to a new one.
func CopyFile(from, to string, bytes int64) error {
	in, err := OpenFile(from, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = io.CopyN(out, in, bytes)
	if errors.Is(err, io.EOF) && bytes == WholeFile {
		err = nil
	}
	if err == nil {
		err = out.Sync()
	}
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}

// CheckpointNames returns the names of the checkpoints in a session's folder.
func CheckpointNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, CheckpointsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// ShareCheckpoints gives a fork the named checkpoints of its parent.
func ShareCheckpoints(from, child string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	for _, name := range slices.Concat([]string{BlobsName}, checkpointPaths(names)) {
		err := ShareTree(filepath.Join(from, name), filepath.Join(child, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func checkpointPaths(names []string) []string {
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join(CheckpointsName, name))
	}
	return paths
}

// ShareTree shares every file of a folder with another one.
func ShareTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o750)
		case e.Type().IsRegular():
			return ShareFile(path, filepath.Join(to, rel), WholeFile)
		}
		return nil
	})
}

// ShareMissing gives the files of a folder second names in another, except those whose name is
// taken there.
func ShareMissing(from, to string) error {
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) || len(entries) == 0 {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(to, 0o750)
	}
	for _, e := range entries {
		if err != nil {
			return err
		}
		if _, serr := os.Lstat(filepath.Join(to, e.Name())); serr == nil || !e.Type().IsRegular() {
			continue
		}
		err = ShareFile(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()), WholeFile)
	}
	return err
}
