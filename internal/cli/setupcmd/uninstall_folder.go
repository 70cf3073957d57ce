package setupcmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/config"
)

// settingsFolder is what .entire of a worktree holds: entries of ours, and of the people who work there, such as
// a policy or a list of prices. Both are paths.
type settingsFolder struct{ ours, theirs []string }

// readSettingsFolder says whose the entries of .entire are. Without the folder there are none.
func readSettingsFolder(top string) (f settingsFolder, err error) {
	dir := filepath.Join(top, ".entire")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if config.IsOurs(path) {
			f.ours = append(f.ours, path)
		} else {
			f.theirs = append(f.theirs, path)
		}
	}
	return f, err
}

// remove removes the entries of ours, and the folder if it is empty then.
func (f settingsFolder) remove(top string) (err error) {
	for _, path := range f.ours {
		err = errors.Join(err, os.RemoveAll(path))
	}
	if err == nil && len(f.theirs) == 0 {
		err = os.Remove(filepath.Join(top, ".entire"))
	}
	return err
}

// without returns the folder with one entry less of those that people own.
func (f settingsFolder) without(name string) settingsFolder {
	f.theirs = slices.DeleteFunc(slices.Clone(f.theirs), func(path string) bool { return filepath.Base(path) == name })
	return f
}

func (f settingsFolder) shownTheirs(top string) string {
	shown := make([]string, len(f.theirs))
	for i, path := range f.theirs {
		shown[i] = cliui.ShownLine(cliui.ShownPath(top, path))
	}
	return strings.Join(shown, ", ")
}
