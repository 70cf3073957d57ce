package process

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

// This file is about repositories that no person works in: they store the files of a
// folder that is not a repository itself, are kept elsewhere, and leave no trace in the
// folder.

// apartFiles are the files that such a repository begins with. They override the user's
// configuration of line endings and file system monitors, so that files are stored as they
// are.
var apartFiles = map[string]string{
	"HEAD":         "ref: refs/entire/folder\n",
	"config":       "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = false\n\tautocrlf = false\n\tfsmonitor = false\n[gc]\n\tauto = 0\n",
	"info/exclude": strings.Join(apartExcludes, "\n") + "\n",
}

// apartExcludes are folders with generated content, which are excluded even without a
// .gitignore.
var apartExcludes = []string{"# Not kept, and never removed.", "node_modules/", "__pycache__/", ".venv/", "venv/", ".tox/", ".gradle/", ".terraform/", ".cache/", ".DS_Store"}

// CreateApart creates the repository gitDir, completely or not at all. It keeps an
// existing one.
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
			return nil // another process created it
		}
		return fmt.Errorf("create repository: %w", err)
	}
	return durable.SyncDir(filepath.Dir(gitDir))
}

// ApartEnviron returns the environment in which git.Discover finds the repository gitDir
// with the folder top as its worktree.
func ApartEnviron(environ []string, gitDir, top string) []string {
	out := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return localVars[name] && name != "LC_ALL"
	})
	return append(out, "GIT_DIR="+gitDir, "GIT_WORK_TREE="+top)
}

// ApartOf returns the folder whose files the repository gitDir stores, "" if it does not
// say.
func ApartOf(gitDir string) (string, error) {
	data, err := durable.ReadOwn(filepath.Join(gitDir, apartName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSuffix(string(data), "\n"), err
}

// SetApartOf stores the folder that ApartOf returns.
func SetApartOf(gitDir, top string) error {
	return durable.WriteFile(filepath.Join(gitDir, apartName), []byte(top+"\n"), 0o600)
}

// apartName is the file that stores the folder.
const apartName = "entire-folder"
