package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
)

// This file is repositories that nobody works in: they keep the files of a folder
// that is none, lie elsewhere, and leave no trace in it.

// apartFiles are what such a repository begins with. Nothing that the user's own
// configuration says about line ends or monitors holds for it: what is kept is what
// is there.
var apartFiles = map[string]string{
	"HEAD":         "ref: refs/entire/folder\n",
	"config":       "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = false\n\tautocrlf = false\n\tfsmonitor = false\n[gc]\n\tauto = 0\n",
	"info/exclude": strings.Join(apartExcludes, "\n") + "\n",
}

// apartExcludes are folders that are made again from others, where no .gitignore says
// so.
var apartExcludes = []string{"# Not kept, and never removed.", "node_modules/", "__pycache__/", ".venv/", "venv/", ".tox/", ".gradle/", ".terraform/", ".cache/", ".DS_Store"}

// CreateApart makes the repository gitDir, complete or not at all. One that is there
// stays.
func CreateApart(gitDir string) error {
	if _, err := os.Lstat(filepath.Join(gitDir, "HEAD")); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(gitDir), 0o750); err != nil {
		return fmt.Errorf("create repository: %w", err)
	}
	made, err := os.MkdirTemp(filepath.Dir(gitDir), ".new-*")
	if err != nil {
		return fmt.Errorf("create repository: %w", err)
	}
	defer os.RemoveAll(made)
	for _, dir := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"} {
		if err := os.MkdirAll(filepath.Join(made, dir), 0o750); err != nil {
			return fmt.Errorf("create repository: %w", err)
		}
	}
	for name, text := range apartFiles {
		if err := durable.WriteFile(filepath.Join(made, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("create repository: %w", err)
		}
	}
	if err := os.Rename(made, gitDir); err != nil {
		if _, there := os.Lstat(filepath.Join(gitDir, "HEAD")); there == nil {
			return nil // another process was faster
		}
		return fmt.Errorf("create repository: %w", err)
	}
	return durable.SyncDir(filepath.Dir(gitDir))
}

// ApartEnviron is the environment in which [Discover] finds the repository gitDir
// with the folder top for its worktree.
func ApartEnviron(environ []string, gitDir, top string) []string {
	out := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return localVars[name] && name != "LC_ALL"
	})
	return append(out, "GIT_DIR="+gitDir, "GIT_WORK_TREE="+top)
}

// ApartOf is the folder whose files the repository gitDir keeps, "" if it does not
// say.
func ApartOf(gitDir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(gitDir, apartName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSuffix(string(data), "\n"), err
}

// SetApartOf writes that down.
func SetApartOf(gitDir, top string) error {
	return durable.WriteFile(filepath.Join(gitDir, apartName), []byte(top+"\n"), 0o600)
}

// apartName is the file that says so.
const apartName = "entire-folder"
