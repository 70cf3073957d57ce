package workplace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/durable"
)

// Covered reports whether path is at or below one of within; true if within is empty.
func Covered(within []string, path string) bool {
	return len(within) == 0 || slices.ContainsFunc(within, func(p string) bool {
		return p == "." || path == p || strings.HasPrefix(path, p+"/")
	})
}

// RepoPaths turns paths of the command line, which are relative to the current directory, into
// paths relative to the worktree's top.
func RepoPaths(env *cliui.Env, wp *Workplace, paths []string) ([]string, error) {
	dir, err := env.Here()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, path := range paths {
		rel, err := repoPath(wp.Repo.Top, dir, path)
		if err != nil {
			return nil, err
		}
		out = append(out, rel)
	}
	return out, nil
}

// repoPath does not follow the last component of path, so a symbolic link is a path of its own.
func repoPath(top, dir, path string) (string, error) {
	if path == "" {
		return "", cliui.Failf("leave it out for all files, or say .", "an empty path names no file")
	}
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, full)
	}
	full = filepath.Clean(full)
	rel, err := filepath.Rel(cliui.ResolvedPath(top), filepath.Join(durable.Resolve(filepath.Dir(full)), filepath.Base(full)))
	if full == filepath.Clean(dir) || err != nil || !filepath.IsLocal(rel) {
		rel, err = filepath.Rel(cliui.ResolvedPath(top), durable.Resolve(full))
	}
	if err != nil || !filepath.IsLocal(rel) {
		return "", cliui.Failf("paths are relative to the current directory, as in git", "%s is outside the repository", cliui.ShownName(path))
	}
	return filepath.ToSlash(rel), nil
}

// ContentIn returns what risk.CommandIn asks about a path, for a command that runs in dir: whether it is a folder, or a
// file with content.
func ContentIn(dir string) func(path string) bool {
	return func(path string) bool {
		if strings.HasPrefix(path, "~") {
			return true // only the shell knows whose home folder that is
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		if err != nil { // a link that leads nowhere can be lost, too
			info, err = os.Lstat(path)
			return err == nil && info.Mode()&os.ModeSymlink != 0
		}
		return info.IsDir() || info.Mode().IsRegular() && info.Size() > 0
	}
}
