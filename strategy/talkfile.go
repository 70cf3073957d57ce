package strategy

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

// This file replaces an agent's own transcript without ever losing what it held:
// what is replaced stays beside it, in the very file that it was, so that an
// agent which has it open goes on writing there.

// keptSuffix begins what is added to the name of a transcript that was replaced.
const keptSuffix = ".before-rewind-"

// keptTalks bounds how many of them there may be of one transcript.
const keptTalks = 10000

// withKept lists a transcript and what earlier rewinds kept of it, latest first.
func withKept(path string) ([]string, error) {
	kept, err := filepath.Glob(globQuote(path) + keptSuffix + "*")
	if err != nil {
		return nil, err
	}
	sort.Sort(sort.Reverse(sort.StringSlice(kept)))
	return append([]string{path}, kept...), nil
}

// globQuote takes the meaning from the characters that Glob reads.
func globQuote(path string) string {
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

// cutTo makes path hold the first size bytes of from, which is path itself or one
// that was kept of it.
func cutTo(path, from string, size int64) error {
	fi, err := os.Stat(from)
	if err != nil {
		return err
	}
	if fi.Size() == size {
		return putBack(path, from)
	}
	in, err := durable.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return replaceTalk(path, io.LimitReader(in, size))
}

// putBack makes from, a file that was kept, the transcript again.
func putBack(path, from string) error {
	if from == path {
		return nil
	}
	if err := keepBeside(path); err != nil {
		return err
	}
	if err := os.Rename(from, path); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(path))
}

// replaceKept gives path another content.
func replaceKept(path string, text []byte) error {
	if have, err := durable.Read(path, agent.MaxTranscript); err == nil && bytes.Equal(have, text) {
		return nil
	}
	return replaceTalk(path, bytes.NewReader(text))
}

// replaceTalk gives path another content, once all of that is on disk.
func replaceTalk(path string, content io.Reader) error {
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
		err = keepBeside(path)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(path))
}

// keepBeside gives the file a second name, which stays when path is replaced. One
// that is not there, or empty, or kept already, needs none.
func keepBeside(path string) error {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && fi.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	names, err := withKept(path)
	if err != nil {
		return err
	}
	for _, name := range names[1:] {
		if other, err := os.Stat(name); err == nil && os.SameFile(fi, other) {
			return nil
		}
	}
	for n := 1; n < keptTalks; n++ {
		name := fmt.Sprintf("%s%s%04d", path, keptSuffix, n)
		err := linkOrCopy(path, name)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("keep %s: too many copies already", path)
}

// linkOrCopy gives a file a second name, or, where the file system has no such
// thing, makes a copy of it.
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

// permOf is a file's mode, that of a private file where there is none.
func permOf(path string) os.FileMode {
	if fi, err := os.Stat(path); err == nil {
		return fi.Mode().Perm()
	}
	return 0o600
}
