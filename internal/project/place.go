package project

import (
	"os"
	"path/filepath"
	"strings"

	"entire/internal/durable"
)

// repositoryAt finds an ordinary repository around dir by its files alone. All other cases are left to
// package git, which is also asked if no key is recorded.
func repositoryAt(dir string, environ []string) (top, common string) {
	if namesRepository(environ) {
		return "", ""
	}
	for at := dir; ; at = filepath.Dir(at) {
		dot := filepath.Join(at, ".git")
		if fi, err := os.Lstat(dot); err == nil {
			if !fi.IsDir() {
				return at, objectsDir(dot)
			}
			if isGitDir(dot) {
				return at, dot
			}
		}
		if isGitDir(at) {
			return at, at
		}
		if at == filepath.Dir(at) {
			return "", ""
		}
	}
}

// namesRepository reports whether the environment names a repository.
func namesRepository(environ []string) bool {
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_CEILING_DIRECTORIES":
			if value != "" {
				return true
			}
		}
	}
	return false
}

func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// objectsDir returns the directory with the objects that a .git file refers to, or "" if there is none.
func objectsDir(file string) string {
	gitDir := oneLine(file, "gitdir: ")
	if gitDir == "" {
		return ""
	}
	if common := oneLine(filepath.Join(gitDir, "commondir"), ""); common != "" {
		return common
	}
	return gitDir
}

// oneLine reads the path in a file of git. The result is resolved against the file's folder.
func oneLine(file, prefix string) string {
	data, err := durable.Read(file, 64<<10)
	path, found := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if err != nil || !found || path == "" {
		return ""
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(filepath.Dir(file), path)
}

// markedFolder returns the folder of a project outside git: the nearest folder at or above dir that
// has a key or was set up, otherwise dir.
func markedFolder(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if readMarker(at) != "" || hasSettings(at) {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

func hasSettings(top string) bool {
	for _, name := range []string{"settings.json", "settings.local.json"} {
		if _, err := os.Lstat(filepath.Join(top, ".entire", name)); err == nil {
			return true
		}
	}
	return false
}
