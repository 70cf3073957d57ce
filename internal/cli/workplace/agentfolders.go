package workplace

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Folders that were there before hooks were installed stay when the hooks are removed, even if they are
// empty. A folder of our own records them: it has the same folders.

// foldersRecord returns that folder for the hook files below top.
func foldersRecord(top string) string {
	dot := filepath.Join(top, ".git")
	info, err := os.Lstat(dot)
	switch {
	case err != nil:
		return filepath.Join(top, ".entire", "tmp", "folders")
	case info.IsDir():
		return filepath.Join(dot, "entire", "folders")
	}
	text, err := readShort(dot)
	gitDir, ok := strings.CutPrefix(text, "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	return filepath.Join(resolveFrom(top, gitDir), "entire", "folders")
}

// standingFolder returns the deepest folder of a slash-separated name below top that is there; "" for none.
func standingFolder(top, name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Stat(filepath.Join(top, filepath.FromSlash(dir))); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// removeFolders removes the folders of the names below top that are empty, except those in the record,
// which forgets them.
func removeFolders(top, record string, names []string) {
	recorded := func(dir string) bool { return record != "" && FileExists(filepath.Join(record, dir)) }
	each := func(do func(dir string)) {
		for _, name := range names {
			for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
				do(filepath.FromSlash(dir))
			}
		}
	}
	each(func(dir string) {
		if !recorded(dir) {
			os.Remove(filepath.Join(top, dir)) // fails when not empty
		}
	})
	each(func(dir string) {
		if recorded(dir) {
			os.Remove(filepath.Join(record, dir)) // fails while other folders in it are recorded
		}
	})
}
