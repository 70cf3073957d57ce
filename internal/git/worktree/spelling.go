package worktree

import (
	"os"
	"path/filepath"
	"strings"
)

// Spelling knows how names below a folder are spelled on disk, where the file system ignores case or the form of
// Unicode. It lists each folder once.
type Spelling struct {
	top     string
	folders map[string]folder
}

// folder has the names of a folder: as they are, and folded.
type folder struct {
	exact  map[string]bool
	folded map[string]string // -> as on disk
}

// NewSpelling returns the Spelling of the names below the absolute path top.
func NewSpelling(top string) *Spelling {
	return &Spelling{top: top, folders: map[string]folder{}}
}

// Rel makes an absolute path relative to the top, whose own names may be spelled differently in it. ok is false
// outside.
func (s *Spelling) Rel(path string) (rel string, ok bool) {
	top, names := strings.Split(filepath.ToSlash(s.top), "/"), strings.Split(filepath.ToSlash(filepath.Clean(path)), "/")
	if len(names) <= len(top) {
		return "", false
	}
	for i, name := range top {
		if foldPath(name) != foldPath(names[i]) {
			return "", false
		}
	}
	return s.of(strings.Join(names[len(top):], "/")), true
}

// of returns a path relative to the top, with slashes, with the names that its files have on disk. What is not there
// stays as it is.
func (s *Spelling) of(path string) string {
	names := strings.Split(path, "/")
	dir := ""
	for i, name := range names {
		at := s.folder(dir)
		if !at.exact[name] { // both may be there, if the settings are not those of this file system
			stored, there := at.folded[foldPath(name)]
			if !there {
				break
			}
			names[i] = stored
		}
		dir += names[i] + "/"
	}
	return strings.Join(names, "/")
}

func (s *Spelling) folder(dir string) folder {
	if known, listed := s.folders[dir]; listed {
		return known
	}
	at := folder{map[string]bool{}, map[string]string{}}
	entries, _ := os.ReadDir(filepath.Join(s.top, filepath.FromSlash(dir))) // those that it could read
	for _, e := range entries {
		at.exact[e.Name()], at.folded[foldPath(e.Name())] = true, e.Name()
	}
	s.folders[dir] = at
	return at
}
