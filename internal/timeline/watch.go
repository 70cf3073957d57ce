package timeline

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"entire/internal/git"
)

// settle is how long a change waits for the next one: a turn's end moves several refs and files.
const settle = 80 * time.Millisecond

// reftables is the folder with the refs of a repository that keeps them in tables instead of files.
const reftables = "reftable"

// Watch sends a value whenever the refs, HEAD, the log of rewinds, the states of sessions or the folders
// in more have changed, until ctx ends. It starts no git and reads no file: whoever listens calls
// Refresh. Changes that come close together are told once.
func Watch(ctx context.Context, repo *git.Repo, more ...string) (<-chan struct{}, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{repo.GitDir, repo.CommonDir, filepath.Join(repo.GitDir, "entire"), filepath.Join(repo.CommonDir, "entire"),
		filepath.Join(repo.CommonDir, "entire", "sessions"), filepath.Join(repo.CommonDir, "entire-sessions"), filepath.Join(repo.CommonDir, "refs", "heads"),
		filepath.Join(repo.GitDir, reftables), filepath.Join(repo.CommonDir, reftables)} {
		_ = w.Add(dir) // one that is missing appears in the folder above it
	}
	for _, dir := range append(more, filepath.Join(repo.CommonDir, "refs", "heads", "entire"), filepath.Join(repo.CommonDir, "refs", "entire")) {
		addTree(w, dir)
	}
	told := make(chan struct{}, 1)
	go func() {
		defer close(told)
		defer w.Close()
		timer := time.NewTimer(time.Hour)
		timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case ev, ok := <-w.Events:
				if !ok {
					return
				}
				if ev.Has(fsnotify.Create) {
					addCreated(w, ev.Name)
				}
				if relevant(ev.Name) {
					timer.Reset(settle)
				}
			case _, ok := <-w.Errors: // such as an overflow: something has changed
				if !ok {
					return
				}
				timer.Reset(settle)
			case <-timer.C:
				select {
				case told <- struct{}{}:
				default: // a change that was not yet looked at tells of this one, too
				}
			}
		}
	}()
	return told, nil
}

// relevant leaves out lock files, which come and go with every change.
func relevant(path string) bool {
	name := filepath.Base(path)
	return !strings.HasSuffix(name, ".lock") && !strings.HasPrefix(name, "tmp_") && name != "index" && name != "objects"
}

// addCreated watches a folder that appeared.
func addCreated(w *fsnotify.Watcher, path string) {
	info, err := os.Lstat(path)
	if err == nil && info.IsDir() && filepath.Base(path) != "objects" {
		addTree(w, path)
	}
}

const watchedMax = 4096 // folders of one tree

func addTree(w *fsnotify.Watcher, dir string) {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if n++; n > watchedMax {
			return errors.New("too many folders")
		}
		return w.Add(path)
	})
}
