package walk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// file is what stands at a path: mode "644", "755" or "link"; "" for nothing.
type file struct{ mode, text string }

// tree is files by path; nothing of git's or entire's.
type tree map[string]file

// ours reports paths that no walk touches.
func ours(path string) bool {
	top, _, _ := strings.Cut(path, "/")
	return top == ".git" || top == ".entire" || top == ".claude"
}

func modeOf(git string) string {
	switch git {
	case "120000":
		return "link"
	case "100755":
		return "755"
	}
	return "644"
}

// files reads a tree object whole.
func (s *side) files(id string, known map[string]tree) tree {
	if t, ok := known[id]; ok {
		return t
	}
	t := tree{}
	s.addFiles(id, "", t)
	known[id] = t
	return t
}

func (s *side) addFiles(id, prefix string, into tree) {
	data := s.object(id + "^{tree}").data
	for len(data) > 0 {
		mode, rest, _ := strings.Cut(data, " ")
		name, rest, _ := strings.Cut(rest, "\x00")
		oid := fmt.Sprintf("%x", rest[:20])
		data = rest[20:]
		path := prefix + name
		switch {
		case ours(path):
		case mode == "40000":
			s.addFiles(oid, path+"/", into)
		default:
			into[path] = file{modeOf(mode), s.object(oid).data}
		}
	}
}

// worktree reads the files that lie there, ignored ones included.
func (s *side) worktree(wt int) tree {
	t := tree{}
	top := s.dir(wt)
	err := filepath.WalkDir(top, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == top {
			return err
		}
		path, _ := filepath.Rel(top, full)
		if ours(path) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		t[path], err = readFile(full)
		return err
	})
	if err != nil {
		panic(failure{"read", err.Error()})
	}
	return t
}

func readFile(full string) (file, error) {
	info, err := os.Lstat(full)
	if err != nil {
		return file{}, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(full)
		return file{"link", target}, err
	}
	data, err := os.ReadFile(full)
	if info.Mode()&0o100 != 0 {
		return file{"755", string(data)}, err
	}
	return file{"644", string(data)}, err
}

// put makes the path of a worktree hold f.
func (s *side) put(wt int, path string, f file) {
	full := filepath.Join(s.dir(wt), path)
	err := os.Remove(full)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil && f.mode != "" {
		err = os.MkdirAll(filepath.Dir(full), 0o755)
	}
	if err == nil {
		switch f.mode {
		case "":
		case "link":
			err = os.Symlink(f.text, full)
		case "755":
			err = os.WriteFile(full, []byte(f.text), 0o755)
		default:
			err = os.WriteFile(full, []byte(f.text), 0o644)
		}
	}
	if err != nil {
		panic(failure{"write", err.Error()})
	}
}

func (w *walk) put(wt int, path string, f file) {
	w.real.put(wt, path, f)
	w.twin.put(wt, path, f)
}
