package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// MaxFolders is the most folders that are watched, unless a person says otherwise.
const MaxFolders = 8192

// errTooMany says that the worktree has more folders than may be watched.
var errTooMany = errors.New("too many folders")

// watchFolders watches every folder of the worktree that git does not ignore. It may be called again: a folder
// that is watched already stays so.
func (w *watch) watchFolders(ctx context.Context, in *fsnotify.Watcher) (n int, err error) {
	list, err := w.Ignored(ctx)
	if err != nil {
		return 0, err
	}
	ignored := map[string]bool{}
	for _, path := range list {
		ignored[strings.TrimSuffix(path, "/")] = true
	}
	err = filepath.WalkDir(w.Top, func(path string, d fs.DirEntry, err error) error {
		if err != nil && path == w.Top {
			return err
		}
		if err != nil || !d.IsDir() {
			return nil // what cannot be listed is not watched
		}
		rel, err := filepath.Rel(w.Top, path)
		if err != nil || path != w.Top && (ignored[filepath.ToSlash(rel)] || w.foreign(path)) {
			return fs.SkipDir
		}
		if n++; n > w.Folders {
			return errTooMany
		}
		if err := in.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		return ctx.Err()
	})
	return n, err
}

// foreign reports whether a folder is git's, ours, or a repository of its own.
func (w *watch) foreign(path string) bool {
	if name := filepath.Base(path); name == ".git" || path == filepath.Join(w.Top, ".entire") {
		return true
	}
	_, err := os.Lstat(filepath.Join(path, ".git"))
	return err == nil
}

// whyPoll says why events cannot be used, and what would help.
func (w *watch) whyPoll(err error) string {
	switch {
	case errors.Is(err, errTooMany):
		return fmt.Sprintf("the worktree has more than %d folders; --folders N allows more", w.Folders)
	case runtime.GOOS == "linux" && errors.Is(err, syscall.ENOSPC):
		return "the system allows no more folders to be watched; raise it with: sudo sysctl fs.inotify.max_user_watches=524288"
	case runtime.GOOS == "linux" && errors.Is(err, syscall.EMFILE):
		return "the system allows no more watching programs; raise it with: sudo sysctl fs.inotify.max_user_instances=1024"
	}
	return err.Error()
}
