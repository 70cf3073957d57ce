package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"entire/agent"
	"entire/internal/durable"
)

// This file replaces an agent's own transcript without losing its content. The replaced file
// keeps its inode under another name, so that an agent which has it open still writes there.

// KeptSuffix begins the suffix of a replaced transcript's name.
const KeptSuffix = ".before-rewind-"

// maxKeptTranscripts bounds the number of replaced files that are kept for one transcript.
const maxKeptTranscripts = 10000

// TranscriptAndKept returns a transcript's path and those of the files that earlier rewinds kept of it,
// latest first.
func TranscriptAndKept(path string) ([]string, error) {
	kept, err := filepath.Glob(quoteGlob(path) + KeptSuffix + "*")
	if err != nil {
		return nil, err
	}
	sort.Sort(sort.Reverse(sort.StringSlice(kept)))
	return append([]string{path}, kept...), nil
}

// quoteGlob escapes the characters that have a meaning for Glob.
func quoteGlob(path string) string {
	var out []rune
	for _, r := range path {
		switch r {
		case '*', '?', '[', '\\':
			if r != '\\' || filepath.Separator != '\\' {
				out = append(out, '\\')
			}
		}
		out = append(out, r)
	}
	return string(out)
}

// ReplaceWithPrefix replaces path by the first size bytes of from, which is path itself or a kept file.
func ReplaceWithPrefix(path, from string, size int64) error {
	fi, err := os.Stat(from)
	if err != nil {
		return err
	}
	if fi.Size() == size {
		return restoreKept(path, from)
	}
	in, err := durable.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return replaceTranscript(path, io.LimitReader(in, size))
}

// restoreKept makes from, a kept file, the transcript again.
func restoreKept(path, from string) error {
	if from == path {
		return nil
	}
	if err := keepCopy(path); err != nil {
		return err
	}
	if err := os.Rename(from, path); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(path))
}

// ReplaceIfDifferent replaces the content of path, unless it is equal already.
func ReplaceIfDifferent(path string, text []byte) error {
	if have, err := durable.Read(path, agent.MaxTranscript); err == nil && bytes.Equal(have, text) {
		return nil
	}
	return replaceTranscript(path, bytes.NewReader(text))
}

// replaceTranscript replaces the content of path after the new content is on disk.
func replaceTranscript(path string, content io.Reader) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".entire-cut-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = io.Copy(tmp, content)
	if err == nil {
		err = tmp.Chmod(permOf(path))
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = keepCopy(path)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(path))
}

// keepCopy gives the file a second name, which stays when path is replaced. It does nothing if
// the file is missing, empty or already kept.
func keepCopy(path string) error {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && fi.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	names, err := TranscriptAndKept(path)
	if err != nil {
		return err
	}
	for _, name := range names[1:] {
		if other, err := os.Stat(name); err == nil && os.SameFile(fi, other) {
			return nil
		}
	}
	for n := 1; n < maxKeptTranscripts; n++ {
		name := fmt.Sprintf("%s%s%04d", path, KeptSuffix, n)
		err := linkOrCopy(path, name)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("keep %s: too many copies already", path)
}

// linkOrCopy gives a file a second name. If the file system has no hard links, it copies the
// file.
func linkOrCopy(path, name string) error {
	err := os.Link(path, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	in, err := durable.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permOf(path))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// permOf returns a file's permissions, those of a private file if it does not exist.
func permOf(path string) os.FileMode {
	if fi, err := os.Stat(path); err == nil {
		return fi.Mode().Perm()
	}
	return 0o600
}
