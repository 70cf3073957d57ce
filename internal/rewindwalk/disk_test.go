package rewindwalk

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is what stands at a path: mode "644", "755", "link" or "pipe"; "" for nothing.
type file struct{ mode, text string }

// tree is files by path; nothing of git's or entire's.
type tree map[string]file

// stamped is a file with its time.
type stamped struct {
	file
	time int64
}

// read is every file below a folder, ignored ones too.
func read(top string) map[string]stamped {
	out := map[string]stamped{}
	err := filepath.WalkDir(top, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == top {
			return err
		}
		path, _ := filepath.Rel(top, full)
		if d.IsDir() {
			if path == ".git" || path == ".entire" {
				return fs.SkipDir
			}
			return nil
		}
		out[path], err = readFile(full)
		return err
	})
	if err != nil {
		panic(failure{"read", err.Error()})
	}
	return out
}

func readFile(full string) (stamped, error) {
	info, err := os.Lstat(full)
	if err != nil {
		return stamped{}, err
	}
	at := info.ModTime().UnixNano()
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(full)
		return stamped{file{"link", target}, at}, err
	case !info.Mode().IsRegular():
		return stamped{file{"pipe", ""}, at}, nil
	}
	data, err := os.ReadFile(full)
	mode := "644"
	if info.Mode()&0o100 != 0 {
		mode = "755"
	}
	return stamped{file{mode, string(data)}, at}, err
}

func bare(files map[string]stamped) tree {
	out := tree{}
	for p, f := range files {
		out[p] = f.file
	}
	return out
}

// put makes a path hold f. What is in the way goes, as a shell would do it with
// rm -r and mkdir -p; nothing is written through a link. Every file gets a time of
// its own, in the past, so that no clock's coarseness hides a change.
func (h *history) put(path string, f file) {
	full := filepath.Join(h.top, path)
	var err error
	for dir := filepath.Dir(path); err == nil && dir != "."; dir = filepath.Dir(dir) {
		above := filepath.Join(h.top, dir)
		if fi, e := os.Lstat(above); e == nil && !fi.IsDir() {
			if f.mode == "" {
				return
			}
			err = os.Remove(above)
		}
	}
	if err == nil {
		err = os.RemoveAll(full)
	}
	if err == nil && f.mode != "" {
		err = os.MkdirAll(filepath.Dir(full), 0o755)
	}
	if err == nil {
		switch f.mode {
		case "":
		case "link":
			err = os.Symlink(f.text, full)
		case "pipe":
			err = mkfifo(full)
		case "755":
			err = os.WriteFile(full, []byte(f.text), 0o755)
		default:
			err = os.WriteFile(full, []byte(f.text), 0o644)
		}
	}
	if err == nil && f.mode != "" && f.mode != "link" {
		h.clock++
		at := time.Now().Add(-24 * time.Hour).Truncate(time.Hour).Add(time.Duration(h.clock) * 1234567 * time.Nanosecond)
		err = os.Chtimes(full, at, at)
	}
	if err != nil {
		panic(failure{"write", err.Error()})
	}
}

// reachable reports anything at all at a path, without following links on the way.
func (h *history) reachable(path string) bool {
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if fi, err := os.Lstat(filepath.Join(h.top, dir)); err != nil || !fi.IsDir() {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(h.top, path))
	return !errors.Is(err, fs.ErrNotExist)
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// below reports a path in a folder.
func below(path, dir string) bool { return strings.HasPrefix(path, dir+"/") }
